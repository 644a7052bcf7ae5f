//! Arrivals in a model file: the four readings of "r robots active" of ADKNS section 2 (law C-5).

use control::arrivals::{BmapError, readings};
use control::{Bmap, Matrix};

use super::Repairs;
use crate::failure::Mistake;
use crate::strict_toml::Section;

/// Keys of the four readings.
const READINGS: [&str; 4] = ["arrivals", "independent", "thinned", "marked"];

/// The most phases that independent robots may have together.
const MOST_PHASES: usize = 512;

const MATRICES: &str = "give the matrices D_0, D_1, ... in brackets";

/// The arrival process for each number of active robots.
pub(super) fn read(root: &Section<'_>, repairs: &mut Repairs) -> Result<Vec<(u32, Bmap)>, Mistake> {
    let given = given(root);
    match given[..] {
        ["arrivals"] => by_number(root, repairs),
        ["independent"] => Ok(numbered(independent(root, repairs)?)),
        ["thinned"] => Ok(numbered(thinned(root, repairs)?)),
        ["marked"] => Ok(numbered(marked(root, repairs)?)),
        [] => {
            let remedy = "describe how pages arrive in [[arrivals]], [[independent]], [thinned] or [marked]";
            Err(root.missing("arrivals", remedy))
        }
        _ => {
            let problem = format!("`{}` are both given; keep one description of the arrivals", given.join("` and `"));
            Err(root.mistake_at(given[1], problem))
        }
    }
}

/// The readings that are there.
pub(super) fn given(root: &Section<'_>) -> Vec<&'static str> {
    READINGS.into_iter().filter(|key| root.has(key)).collect()
}

fn numbered(processes: Vec<Bmap>) -> Vec<(u32, Bmap)> {
    (1..).zip(processes).collect()
}

/// Reading 4: `[[arrivals]]`, one process for each number of robots.
fn by_number(root: &Section<'_>, repairs: &mut Repairs) -> Result<Vec<(u32, Bmap)>, Mistake> {
    let mut all: Vec<(u32, Bmap)> = Vec::new();
    for section in some_sections(root, "arrivals")? {
        section.allow(&["robots", "d"])?;
        let robots = section.whole("robots", 1, 1 << 20, "say how many robots are active")? as u32;
        let d = section.matrices("d", 0, MATRICES)?;
        if all.iter().any(|(number, _)| *number == robots) {
            let problem = format!("arrivals for {} are given twice; keep one", count(robots));
            return Err(section.mistake(problem));
        }
        let bmap = process(&section, d, &format!("arrivals for {}", count(robots)), repairs)?;
        if let Some((other, known)) = all.first().filter(|(_, known)| known.phases() != bmap.phases()) {
            let problem = format!(
                "arrivals for {} have {} phases, those for {} have {}; give each as many",
                count(robots),
                bmap.phases(),
                count(*other),
                known.phases()
            );
            return Err(section.mistake_at("d", problem));
        }
        all.push((robots, bmap));
    }
    Ok(all)
}

/// The tables of a list of tables that must not be empty.
fn some_sections<'a>(root: &Section<'a>, key: &str) -> Result<Vec<Section<'a>>, Mistake> {
    let sections = root.sections(key)?;
    match sections.is_empty() {
        true => Err(root.mistake_at(key, format_args!("`{key}` is empty; describe the arrivals in [[{key}]]"))),
        false => Ok(sections),
    }
}

fn count(robots: u32) -> String {
    format!("{robots} {}", if robots == 1 { "robot" } else { "robots" })
}

/// Reading 1: `[[independent]]`, one process for each robot, or for `copies` robots that are alike.
fn independent(root: &Section<'_>, repairs: &mut Repairs) -> Result<Vec<Bmap>, Mistake> {
    let mut robots = Vec::new();
    for section in some_sections(root, "independent")? {
        section.allow(&["copies", "d"])?;
        let copies = if section.has("copies") { section.whole("copies", 1, 64, "say how many robots")? } else { 1 };
        let d = section.matrices("d", 0, MATRICES)?;
        let robot = process(&section, d, &format!("robot {}", robots.len() + 1), repairs)?;
        robots.extend(std::iter::repeat_n(robot, copies));
        let phases = robots.iter().map(Bmap::phases).try_fold(1usize, usize::checked_mul);
        if phases.is_none_or(|phases| phases > MOST_PHASES) {
            let problem = format!(
                "independent robots have more than {MOST_PHASES} phases together, the product of those of each; \
                 use fewer robots or phases, or another reading"
            );
            return Err(section.mistake(problem));
        }
    }
    Ok(readings::independent(&robots))
}

/// Reading 2: `[thinned]`, one process of which a batch is kept with a probability that grows with the robots.
fn thinned(root: &Section<'_>, repairs: &mut Repairs) -> Result<Vec<Bmap>, Mistake> {
    let Some(section) = root.section("thinned")? else {
        return Ok(Vec::new());
    };
    section.allow(&["d", "kept"])?;
    let all = process(&section, section.matrices("d", 0, MATRICES)?, "thinned", repairs)?;
    let kept = section.numbers("kept", "give the share of batches kept with 1, 2, ... robots")?;
    let bad = (0..kept.len()).find(|&r| !(kept[r] > 0.0 && kept[r] <= 1.0) || (r > 0 && kept[r] < kept[r - 1]));
    if let Some(r) = bad {
        let problem = format!(
            "thinned.kept, column {}: {}; give shares above 0 and up to 1 that do not fall with the robots",
            r + 1,
            kept[r]
        );
        return Err(section.mistake_at("kept", problem));
    }
    Ok(readings::thinned(&all, &kept))
}

/// Reading 3: `[marked]`, one chain that marks each batch with the robot that brings it.
fn marked(root: &Section<'_>, repairs: &mut Repairs) -> Result<Vec<Bmap>, Mistake> {
    let Some(section) = root.section("marked")? else {
        return Ok(Vec::new());
    };
    section.allow(&["silent", "robot"])?;
    let silent = section.matrix("silent", "give D_0, the moves that bring no page")?;
    let mut by_robot: Vec<Vec<Matrix>> = Vec::new();
    for robot in section.sections("robot")? {
        robot.allow(&["d"])?;
        let d = robot.matrices("d", 1, "give the matrices D_1, D_2, ... of this robot in brackets")?;
        let name = format!("robot {}", by_robot.len() + 1);
        check_marks(&d, silent.rows()).map_err(|problem| robot.mistake_at("d", format!("{name}: {problem}")))?;
        if by_robot.is_empty() && d.iter().all(|m| m.entries().iter().all(|rate| *rate == 0.0)) {
            let problem = "robot 1 brings no page, and with one robot active it is alone; give it a positive rate";
            return Err(robot.mistake_at("d", problem));
        }
        by_robot.push(d);
    }
    if by_robot.is_empty() {
        return Err(section.missing("robot", "describe each robot in [[marked.robot]]"));
    }
    let together = process(&section, together(&silent, &by_robot), "marked", repairs)?;
    let wrong = |error: BmapError| section.mistake(format_args!("marked: {error}{}", remedy(&error)));
    readings::marked(&together.matrices()[0], &by_robot).map_err(wrong)
}

/// `D_0, D_1, ...` with all robots active.
fn together(silent: &Matrix, by_robot: &[Vec<Matrix>]) -> Vec<Matrix> {
    let largest = by_robot.iter().map(Vec::len).max().unwrap_or(0);
    let batches = (0..largest).map(|k| {
        let mut sum = Matrix::zeros(silent.rows(), silent.rows());
        by_robot.iter().filter_map(|d| d.get(k)).for_each(|m| sum.add(1.0, m));
        sum
    });
    std::iter::once(silent.clone()).chain(batches).collect()
}

fn check_marks(d: &[Matrix], size: usize) -> Result<(), String> {
    for (k, m) in (1..).zip(d) {
        if (m.rows(), m.columns()) != (size, size) {
            let (rows, columns) = (m.rows(), m.columns());
            return Err(format!("D_{k} is {rows} x {columns}, but silent has {size} rows; all must be of one size"));
        }
        if let Some(place) = m.entries().iter().position(|rate| *rate < 0.0) {
            let (row, column, value) = (place / size + 1, place % size + 1, m.entries()[place]);
            return Err(format!("D_{k}, row {row}, column {column}: {value} must not be negative"));
        }
    }
    Ok(())
}

/// A process, with its row sums repaired as far as that is allowed.
fn process(section: &Section<'_>, d: Vec<Matrix>, name: &str, repairs: &mut Repairs) -> Result<Bmap, Mistake> {
    let (bmap, off) = Bmap::repaired(d, repairs.tolerance)
        .map_err(|error| section.mistake(format_args!("{name}: {error}{}", remedy(&error))))?;
    let what = format_args!(
        "{name}: row sums of D_0 + D_1 + ... were off by up to {off:.1e} of the rate; the diagonal of D_0 was adjusted"
    );
    repairs.made(off, what);
    Ok(bmap)
}

/// What can be done, where the message does not say it.
fn remedy(error: &BmapError) -> &'static str {
    match error {
        BmapError::RowSum { .. } => ", or pass --repair to have that done",
        BmapError::Reducible { .. } => {
            "; leave out phases that are never entered or left, or give a rate that leads there"
        }
        BmapError::NoArrivals => "; give a positive rate",
        _ => "",
    }
}
