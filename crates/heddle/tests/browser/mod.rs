//! A headless Chromium, driven through two pipes by the DevTools protocol: messages are JSON, each ended by a zero byte.
//!
//! `scripts/setup.sh tests` installs the browser. Without one the test that needs it is skipped, with a message; with
//! HEDDLE_STRICT (set by `.ci/run`) that is a failure.

use serde_json::{json, Value};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const NAMES: [&str; 4] = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];

pub(crate) struct Browser {
    process: Child,
    to: File,
    from: BufReader<File>,
    session: Option<String>,
    last: u64,
    complaints: Vec<String>,
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Browser {
    /// Starts a browser; `None` if this machine has none.
    pub(crate) fn start(folder: &Path) -> Option<Browser> {
        let is_there = |name: &&&str| {
            std::env::var_os("PATH")
                .is_some_and(|path| std::env::split_paths(&path).any(|dir| dir.join(name).is_file()))
        };
        let Some(name) = NAMES.iter().find(is_there) else {
            testing::left_out_unless_strict("no Chromium is installed");
            return None;
        };
        let (to, from) = (folder.join("to"), folder.join("from"));
        let made = Command::new("mkfifo").args([&to, &from]).status().expect("mkfifo should start");
        assert!(made.success(), "mkfifo failed");
        let process = Command::new("sh")
            .arg("-c")
            .arg("exec \"$0\" \"$@\" 3<\"$HEDDLE_TO\" 4>\"$HEDDLE_FROM\"")
            .arg(name)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"])
            .args(["--disable-background-networking", "--remote-debugging-pipe"])
            .arg(format!("--user-data-dir={}", folder.join("profile").display()))
            .env("HEDDLE_TO", &to)
            .env("HEDDLE_FROM", &from)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("a shell");
        let to = File::options().write(true).open(to).expect("a pipe to the browser");
        let from = BufReader::new(File::open(from).expect("a pipe from the browser"));
        let mut browser = Browser { process, to, from, session: None, last: 0, complaints: Vec::new() };
        let target = browser.ask("Target.createTarget", json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let session = browser.ask("Target.attachToTarget", attach);
        browser.session = session["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log"] {
            browser.ask(&format!("{domain}.enable"), json!({}));
        }
        Some(browser)
    }

    /// Opens a file and waits until it is loaded, for at most a minute.
    pub(crate) fn open(&mut self, file: &Path) {
        self.complaints.clear();
        let url = format!("file://{}", file.display());
        self.ask("Page.navigate", json!({ "url": url }));
        let expression = format!("document.readyState === 'complete' && location.href === '{url}'");
        let started = Instant::now();
        while started.elapsed() < Duration::from_secs(60) {
            // While the old page is going there is an error instead of an answer.
            let answer = self.send("Runtime.evaluate", json!({ "expression": expression, "returnByValue": true }));
            if answer["result"]["result"]["value"] == true {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("{url} is not loaded");
    }

    /// Presses and releases a key.
    pub(crate) fn press(&mut self, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            self.ask("Input.dispatchKeyEvent", json!({ "type": kind, "key": key }));
        }
    }

    /// The value of an expression in the page.
    fn evaluate(&mut self, expression: &str) -> Value {
        let answer = self.ask("Runtime.evaluate", json!({ "expression": expression, "returnByValue": true }));
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    pub(crate) fn number(&mut self, expression: &str) -> u64 {
        let value = self.evaluate(expression);
        value.as_u64().unwrap_or_else(|| panic!("{expression} is no number: {value}"))
    }

    pub(crate) fn text(&mut self, expression: &str) -> String {
        let value = self.evaluate(expression);
        value.as_str().unwrap_or_else(|| panic!("{expression} is no text: {value}")).to_owned()
    }

    /// Errors and warnings of the page since it was opened.
    pub(crate) fn complaints(&mut self) -> Vec<String> {
        // Events that came before the answer have been read with it.
        self.evaluate("1");
        self.complaints.clone()
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let answer = self.send(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// The answer to a message, which may be an error.
    fn send(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let mut message = json!({ "id": self.last, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.to.write_all(&bytes).and_then(|()| self.to.flush()).expect("the browser should listen");
        loop {
            let answer = self.next();
            if answer["id"] == self.last {
                return answer;
            }
        }
    }

    fn next(&mut self) -> Value {
        let mut bytes = Vec::new();
        self.from.read_until(0, &mut bytes).expect("the browser should answer");
        assert!(!bytes.is_empty(), "the browser has gone away");
        bytes.pop();
        let message: Value = serde_json::from_slice(&bytes).expect("JSON from the browser");
        let params = &message["params"];
        let is_complaint = match message["method"].as_str() {
            Some("Runtime.exceptionThrown") => true,
            Some("Runtime.consoleAPICalled") => {
                ["error", "warning", "assert"].iter().any(|kind| params["type"] == *kind)
            }
            Some("Log.entryAdded") => ["error", "warning"].iter().any(|level| params["entry"]["level"] == *level),
            _ => false,
        };
        if is_complaint {
            self.complaints.push(params.to_string());
        }
        message
    }
}
