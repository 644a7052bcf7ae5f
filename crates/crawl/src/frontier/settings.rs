/// How pages are chosen. Times are in seconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Requests per second; `None` for as many as robots and hosts can take.
    pub budget: Option<f64>,
    /// Share of the visits for queued pages, most of them new, while there are also pages to be refreshed.
    pub discovery: f64,
    /// Share of the refreshing visits that goes to the page not visited for longest, so that wrong estimates are found out.
    pub reserve: f64,
    /// Whether pages are visited again at all.
    pub revisit: bool,
    /// No page is visited again before this time has passed.
    pub least_revisit: f64,
    /// Every page is visited again after this time, budget permitting; may be infinite.
    pub most_revisit: f64,
    /// Time between the end of a request to a host and the start of the next, unless its `robots.txt` asks for more.
    pub delay: f64,
    /// Requests to one host at a time; only one if there is a delay.
    pub connections: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            budget: Some(5.0),
            discovery: 0.5,
            reserve: 0.03,
            revisit: true,
            least_revisit: 3600.0,
            most_revisit: 30.0 * 86_400.0,
            delay: 1.0,
            connections: 1,
        }
    }
}
