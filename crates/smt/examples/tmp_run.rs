//! x
fn main() {
    let t = std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap();
    let s = std::time::Instant::now();
    let h = std::thread::Builder::new().stack_size(512<<20).spawn(move || {
    let r = smt::script::Session::new().run(&t, &base::Budget::unlimited(), &mut |x| print!("{x}"));
    if let Err(e) = r { println!("error {e}"); }
    }).unwrap();
    h.join().unwrap();
    eprintln!("{:?}", s.elapsed());
}
