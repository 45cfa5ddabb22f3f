//! A cactus plot as SVG: the number of tasks decided correctly within a given time, for the suite and for each memory
//! model. The time axis is logarithmic. Written by hand: the figure is a few lines and some text.

use super::index::Task;
use super::results::Row;
use ir::MemoryModel;
use std::fmt::Write;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 460.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 120.0;
const TOP: f64 = 28.0;
const BOTTOM: f64 = 52.0;
const SHORTEST: f64 = 0.01;
const COLORS: [&str; 5] = ["#222222", "#0072b2", "#d55e00", "#009e73", "#cc79a7"];

/// Draws the plot; times go up to the time limit.
pub(crate) fn cactus(done: &[(&Task, &Row)], timeout: f64) -> String {
    let mut series: Vec<(String, Vec<f64>)> = vec![("all".to_owned(), times(done, |_| true))];
    for model in MemoryModel::ALL {
        let of_model = times(done, |task| task.model == model);
        if !of_model.is_empty() && of_model.len() < series[0].1.len() {
            series.push((model.name().to_owned(), of_model));
        }
    }
    let most = series[0].1.len().max(1) as f64;
    let slowest = series[0].1.last().copied().unwrap_or(0.0);
    let longest = timeout.max(slowest).max(SHORTEST * 10.0);
    let axes = Axes { most, longest };
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    axes.draw(&mut svg);
    for (index, (name, times)) in series.iter().enumerate() {
        axes.line(&mut svg, index, name, times);
    }
    svg.push_str("</svg>\n");
    svg
}

fn times(done: &[(&Task, &Row)], wanted: impl Fn(&Task) -> bool) -> Vec<f64> {
    let right = done.iter().filter(|(task, row)| wanted(task) && row.is_right(task));
    let mut times: Vec<f64> = right.map(|(_, row)| row.seconds).collect();
    times.sort_by(f64::total_cmp);
    times
}

struct Axes {
    most: f64,
    longest: f64,
}

impl Axes {
    fn x(&self, tasks: f64) -> f64 {
        LEFT + tasks / self.most * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, seconds: f64) -> f64 {
        let share = (seconds.max(SHORTEST) / SHORTEST).ln() / (self.longest / SHORTEST).ln();
        HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)
    }

    fn draw(&self, svg: &mut String) {
        let (bottom, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
        add(svg, format_args!("<path d=\"M{LEFT} {TOP}V{bottom}H{right}\" fill=\"none\" stroke=\"black\"/>"));
        let mut decade = SHORTEST;
        while decade <= self.longest * 1.0001 {
            let (y, text_y, text_x) = (self.y(decade), self.y(decade) + 4.0, LEFT - 6.0);
            add(svg, format_args!("<path d=\"M{LEFT} {y:.1}H{right}\" stroke=\"#dddddd\"/>"));
            add(svg, format_args!("<text x=\"{text_x}\" y=\"{text_y:.1}\" text-anchor=\"end\">{decade} s</text>"));
            decade = (decade * 10.0 * 1e6).round() / 1e6;
        }
        let step = tick(self.most);
        let mut tasks = 0.0;
        while tasks <= self.most {
            let (x, y, end) = (self.x(tasks), bottom + 18.0, bottom + 5.0);
            add(svg, format_args!("<path d=\"M{x:.1} {bottom}V{end}\" stroke=\"black\"/>"));
            add(svg, format_args!("<text x=\"{x:.1}\" y=\"{y}\" text-anchor=\"middle\">{tasks}</text>"));
            tasks += step;
        }
        let (middle, low) = ((LEFT + right) / 2.0, HEIGHT - 12.0);
        add(svg, format_args!("<text x=\"{middle}\" y=\"{low}\" text-anchor=\"middle\">tasks decided rightly</text>"));
        add(svg, format_args!("<text x=\"{LEFT}\" y=\"{}\" text-anchor=\"middle\">time per task</text>", TOP - 10.0));
    }

    fn line(&self, svg: &mut String, index: usize, name: &str, times: &[f64]) {
        let color = COLORS[index % COLORS.len()];
        let points: Vec<String> = times
            .iter()
            .enumerate()
            .map(|(solved, seconds)| format!("{:.1},{:.1}", self.x((solved + 1) as f64), self.y(*seconds)))
            .collect();
        if let Some(last) = times.last() {
            add(
                svg,
                format_args!(
                    "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"1.6\"/>",
                    points.join(" ")
                ),
            );
            let (x, y) = (self.x(times.len() as f64) + 5.0, self.y(*last) + 4.0);
            add(svg, format_args!("<text x=\"{x:.1}\" y=\"{y:.1}\" fill=\"{color}\">{name} ({})</text>", times.len()));
        }
    }
}

fn add(svg: &mut String, element: std::fmt::Arguments<'_>) {
    writeln!(svg, "{element}").expect("writing to a string should not fail");
}

/// A round distance between ticks that gives about eight of them.
fn tick(most: f64) -> f64 {
    let rough = (most / 8.0).max(1.0);
    let decade = 10f64.powf(rough.log10().floor());
    let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|factor| factor * decade >= rough).unwrap_or(10.0);
    factor * decade
}
