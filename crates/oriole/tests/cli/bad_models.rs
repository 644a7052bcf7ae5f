use super::control::PAPER;
use super::*;

/// Runs with a wrong model and returns what is said about it.
fn complaint(model: impl AsRef<[u8]>, options: &str) -> String {
    let folder = Folder::with("model.toml", model);
    let run = folder.run(&format!("control {options}"));
    assert_eq!(run.code, 2, "{}", run.err);
    assert_eq!(run.out, "");
    run.err
}

/// The paper's model with one text replaced by another.
fn changed(from: &str, to: &str) -> String {
    assert!(PAPER.contains(from), "{from}");
    let model = PAPER.replacen(from, to, 1);
    complaint(&model, "solve model.toml --modes 3,1 --thresholds 2")
}

#[test]
fn bad_laws() {
    let complaints = [
        // Not a sub-generator.
        changed("[[-3.0, 1.0], [2.0, -3.0]]", "[[-3.0, 4.0], [2.0, -3.0]]"),
        changed("[[-3.0, 1.0], [2.0, -3.0]]", "[[3.0, 1.0], [2.0, -3.0]]"),
        // Absorbing.
        changed("[[-3.0, 1.0], [2.0, -3.0]]", "[[-3.0, 3.0], [3.0, -3.0]]"),
        // A negative rate.
        changed("[[-3.0, 1.0], [2.0, -3.0]]", "[[-3.0, -1.0], [2.0, -3.0]]"),
        // Wrong sizes.
        changed("[[-3.0, 1.0], [2.0, -3.0]]", "[[-3.0, 1.0], [2.0]]"),
        changed("[[-3.0, 1.0], [2.0, -3.0]]", "[[-3.0]]"),
        changed("[[-3.0, 1.0], [2.0, -3.0]]", "[]"),
        changed("[[-3.0, 1.0], [2.0, -3.0]]", "-3.0"),
        // Not numbers.
        changed("[[-3.0, 1.0], [2.0, -3.0]]", "[[-3.0, nan], [2.0, -3.0]]"),
        changed("[[-3.0, 1.0], [2.0, -3.0]]", "[[-3.0, \"1\"], [2.0, -3.0]]"),
        changed("[0.4, 0.6]", "[0.4, inf]"),
        // Probabilities that are none, or do not sum to one.
        changed("[0.4, 0.6]", "[0.4, 0.5]"),
        changed("[0.3, 0.7]", "[-0.3, 1.3]"),
        changed("start = [0.4, 0.6]\n", ""),
        // Beyond what can be reckoned with.
        changed("[[-3.0, 1.0], [2.0, -3.0]]", "[[-3e300, 1.0], [2.0, -3.0]]"),
        changed("[[-0.6, 0.4], [0.1, -0.3]]", "[[-6e-300, 4e-300], [1e-300, -3e-300]]"),
        // What cannot be repaired.
        complaint(PAPER.replace("[0.4, 0.6]", "[0.0, 0.0]"), "solve model.toml --modes 1 --repair"),
    ];
    insta::assert_snapshot!(complaints.concat());
}

#[test]
fn bad_arrivals() {
    let robot = "[[0.05, 3.0], [0.29, 0.005]]";
    let complaints = [
        changed(robot, "[[-0.05, 3.1], [0.29, 0.005]]"),
        changed(robot, "[[0.05, 3.02], [0.29, 0.005]]"),
        changed(robot, "[[0.05, 3.0, 0.0], [0.29, 0.005, 0.0]]"),
        changed(robot, "[[0.05, nan], [0.29, 0.005]]"),
        changed("[[-2.48, 0.48], [0.48, -3.48]]", "[[-2.48, 0.48], [0.48, 3.48]]"),
        // Phase 1 is never left.
        changed("[[-2.48, 0.48], [0.48, -3.48]]", "[[-2.0, 0.0], [0.48, -3.48]]"),
        changed("robots = 2", "robots = 3"),
        changed("robots = 2", "robots = 0"),
        changed("robots = 2", "robots = 2.5"),
        complaint("buffer = 2\n[service]\nstart = [1]\nrates = [[-1]]\n", "solve model.toml --modes 1"),
        complaint(format!("{PAPER}\n[thinned]\nd = [[[-1]], [[1]]]\nkept = [1]\n"), "solve model.toml --modes 1"),
        reading("[thinned]\nd = [[[-1]], [[1]]]\nkept = [0.5, 0.4]"),
        reading("[marked]\nsilent = [[-1]]\n"),
        reading("[marked]\nsilent = [[-1]]\n[[marked.robot]]\nd = [[[-1]]]"),
        reading("[marked]\nsilent = [[-1]]\n[[marked.robot]]\nd = [[[1, 0], [0, 1]]]"),
        reading("[[independent]]\ncopies = 20\nd = [[[-1, 0.5], [0.5, -1]], [[0.5, 0], [0, 0.5]]]"),
        reading("[[independent]]\nd = [[[-1]], [[0]], [[0]]]"),
        reading("[independent]\nd = [[[-1]], [[1]]]"),
        reading(
            "[[arrivals]]\nrobots = 1\nd = [[[-1]], [[1]]]\n[[arrivals]]\nrobots = 2\nd = [[[-1, 0], [0, -1]], [[1, 0], [0, 1]]]",
        ),
        reading(
            "[[arrivals]]\nrobots = 2\nd = [[[-1]], [[1]]]\n[[arrivals]]\nrobots = 1\nd = [[[-1, 0.5], [0.5, -1]], [[0.5, 0], [0, 0.5]]]",
        ),
        reading("[[arrivals]]\nrobots = 1\nd = [[[-1.7e308]], [[1.7e308]]]"),
        reading("[[arrivals]]\nrobots = 1\nd = [[[-1]]]"),
        reading("[marked]\nsilent = [[-1]]\n[[marked.robot]]\nd = [[[0]]]\n[[marked.robot]]\nd = [[[1]]]"),
        complaint("buffer = 2\narrivals = []\n[service]\nstart = [1]\nrates = [[-1]]\n", "solve model.toml --modes 1"),
    ];
    insta::assert_snapshot!(complaints.concat());
}

/// A model with one description of the arrivals.
fn reading(arrivals: &str) -> String {
    let model = format!("buffer = 2\n[service]\nstart = [1]\nrates = [[-1]]\n{arrivals}\n");
    complaint(&model, "solve model.toml --modes 1")
}

#[test]
fn bad_files() {
    let complaints = [
        changed("buffer = 5", "buffer = 0"),
        changed("buffer = 5", "buffer = -1"),
        changed("buffer = 5", "buffer = 5.5"),
        changed("buffer = 5", "buffer = 1e9"),
        changed("buffer = 5", "bufer = 5"),
        changed("buffer = 5", "buffer = 5\nadmission = \"part\""),
        changed("[obsolescence]", "[obsolescense]"),
        changed("starvation = 300.0", "starving = 300.0"),
        changed("starvation = 300.0", "colour = 300.0"),
        changed("loss = 5.0", "loss = -5.0"),
        changed("loss = 5.0", "loss = nan"),
        changed("loss = 5.0", "loss = "),
        changed("[service]", "[service"),
        changed("loss = 5.0", "loss = 1e300"),
        complaint("", "solve model.toml --modes 1"),
        complaint(b"buffer = 1\n# caf\xe9\n", "solve model.toml --modes 1"),
        complaint("#".repeat(17 << 20), "solve model.toml --modes 1"),
        complaint("", "solve absent.toml --modes 1"),
    ];
    insta::assert_snapshot!(complaints.concat());
}

#[test]
fn bad_policies() {
    let said = |options: &str| complaint(PAPER, &format!("solve model.toml {options}"));
    let complaints = [
        said(""),
        said("--modes 3,1"),
        said("--modes 3,2,1 --thresholds 3,2"),
        said("--modes 3,1 --thresholds 6"),
        said("--modes 3,5 --thresholds 2"),
        said("--robots 3,3,1"),
        said("--robots 3,3,3,1,1,7"),
        said("--robots 3,3,3,1,1,1 --modes 3,1"),
        said("--thresholds 2"),
        said("--modes 3,x --thresholds 2"),
        said("--modes -1"),
        said("--modes 3,1 --thresholds -1"),
        complaint(PAPER, "optimise model.toml --limit p_loss=1e-30"),
        complaint(PAPER, "optimise model.toml --modes 3 --plot cost.svg"),
        complaint(PAPER, "sojourn model.toml --modes 3 --quantiles 1e-320"),
        complaint(PAPER, "simulate model.toml --modes 3 --for 1e300"),
        complaint(PAPER, "optimise model.toml --modes 1,3"),
        complaint(PAPER, "optimise model.toml --modes 9"),
        complaint(PAPER, "optimise model.toml --limit p_los=0.1"),
        complaint(PAPER, "optimise model.toml --limit p_loss"),
        complaint(PAPER, "optimise model.toml --limit p_loss=-1"),
        complaint(PAPER, "optimise model.toml --limit p_loss=0.01"),
        complaint(large(), "sojourn model.toml --modes 3"),
        complaint(large(), "optimise model.toml --sees pages"),
        complaint(large(), "optimise model.toml --pareto p_loss,active_robots"),
        complaint(large(), "simulate model.toml --controller belief"),
        complaint(long(), "solve model.toml --modes 1"),
        complaint(long(), "optimise model.toml"),
        complaint(too_large(), "optimise model.toml"),
        complaint(PAPER, "sojourn model.toml --modes 3 --quantiles 1.5"),
        complaint(PAPER, "sojourn model.toml --modes 3 --at -1"),
    ];
    insta::assert_snapshot!(complaints.concat());
}

/// A hundred thousand places, filled five thousand at once: too long, and too much memory.
fn long() -> String {
    let none = "[[0.0]], ".repeat(4_999);
    format!(
        "buffer = 100_000\n[service]\nstart = [1.0]\nrates = [[-1.0]]\n\
         [[arrivals]]\nrobots = 1\nd = [[[-0.0001]], {none}[[0.0001]]]\n\
         [[arrivals]]\nrobots = 2\nd = [[[-0.0002]], {none}[[0.0002]]]\n[cost]\nloss = 1.0\n"
    )
}

/// Sixty places and six phases: too many states even for bounds.
fn too_large() -> String {
    let row = |i: usize| {
        (0..6)
            .map(|j| ["0.0", "-1.0", "1.0"][usize::from(i == j) + 2 * usize::from(j == i + 1)])
            .collect::<Vec<_>>()
            .join(", ")
    };
    let rows = (0..6).map(|i| format!("[{}]", row(i))).collect::<Vec<_>>().join(", ");
    let law = format!("start = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]\nrates = [{rows}]");
    let model = PAPER.replace("start = [0.3, 0.7]\nrates = [[-0.6, 0.4], [0.1, -0.3]]", &law);
    model.replace("buffer = 5", "buffer = 60")
}

/// Thirty places and two phases of obsolescence that matter: billions of states.
fn large() -> String {
    PAPER.replace("[[-0.6, 0.4], [0.1, -0.3]]", "[[-0.6, 0.4], [0.0, -0.3]]").replace("buffer = 5", "buffer = 30")
}
