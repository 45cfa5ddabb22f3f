'use strict';
(function () {
  const stories = Array.from(document.querySelectorAll('section.story')).map(setUp);
  let active = stories[0];

  function setUp(section) {
    const steps = Array.from(section.querySelectorAll('g.step'));
    const story = { section, steps, at: steps.length - 1 };
    steps.forEach((step, index) => {
      step.addEventListener('click', () => { active = story; select(story, index); });
      step.addEventListener('mouseenter', () => detail(story, index));
      step.addEventListener('mouseleave', () => detail(story, story.at));
    });
    section.querySelectorAll('button').forEach((button) => {
      button.addEventListener('click', () => { active = story; select(story, story.at + Number(button.dataset.by)); });
    });
    section.querySelector('.controls').hidden = false;
    select(story, story.at);
    return story;
  }

  function detail(story, index) {
    const number = story.steps[index].dataset.step;
    story.section.querySelectorAll('.detail > div').forEach((part) => { part.hidden = part.dataset.step !== number; });
  }

  function select(story, index) {
    if (story.steps.length === 0) return;
    story.at = Math.max(0, Math.min(story.steps.length - 1, index));
    const current = story.steps[story.at];
    const number = current.dataset.step;
    for (const step of story.steps) {
      step.classList.toggle('current', step === current);
      if (step === current) step.setAttribute('aria-current', 'step'); else step.removeAttribute('aria-current');
    }
    for (const link of story.section.querySelectorAll('path.link')) {
      link.classList.toggle('hot', link.dataset.from === number || link.dataset.to === number);
    }
    detail(story, story.at);
    story.section.querySelector('.status').textContent = 'step ' + number + ' of ' + story.steps.length;
    let line = null;
    for (const item of story.section.querySelectorAll('.source li.current')) item.classList.remove('current');
    for (const file of story.section.querySelectorAll('.source > div')) {
      const isIt = file.dataset.file === current.dataset.file;
      if (current.dataset.file !== undefined) file.hidden = !isIt;
      if (isIt) line = file.querySelector('li[value="' + current.dataset.line + '"]');
    }
    if (line !== null) {
      line.classList.add('current');
      reveal(line, story.section.querySelector('.source'));
    }
    reveal(current, story.section.querySelector('.picture'));
  }

  // Scrolls a pane, never the page.
  function reveal(item, pane) {
    const inner = item.getBoundingClientRect();
    const outer = pane.getBoundingClientRect();
    if (inner.top < outer.top + 20) pane.scrollTop -= outer.top + 60 - inner.top;
    if (inner.bottom > outer.bottom - 20) pane.scrollTop += inner.bottom - outer.bottom + 60;
    if (inner.left < outer.left) pane.scrollLeft -= outer.left + 20 - inner.left;
    if (inner.right > outer.right) pane.scrollLeft += inner.right - outer.right + 20;
  }

  document.addEventListener('keydown', (event) => {
    if (active === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    const to = { ArrowRight: active.at + 1, j: active.at + 1, ArrowLeft: active.at - 1, k: active.at - 1,
      Home: 0, End: active.steps.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    select(active, to);
  });
})();
