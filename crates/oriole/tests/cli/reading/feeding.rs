use store::Wish;

use super::*;

/// What waits for the engine.
fn inbox(site: &Site) -> Vec<(Wish, String)> {
    let folder = DataFolder::read(&site.data()).unwrap();
    folder.catalogue.inbox(0, 100).unwrap().into_iter().map(|command| (command.wish, command.url)).collect()
}

#[test]
fn pages_are_added_whether_the_engine_runs_or_not() {
    let site = Site::new();
    let run = site.run("add https://a.example/#x docs.example.org/b");
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert_eq!(run.out, "2 pages to be visited when the engine next runs\n");
    let engine = engine(&site.data(), "{}");
    let run = site.folder.run_with_input("add -", "# a list\n\nhttps://c.example/1\n https://c.example/2 \n");
    assert_eq!((run.code, run.out.as_str()), (0, "2 pages to be visited now\n"), "{}", run.err);
    drop(engine);
    let added = ["https://a.example/", "https://docs.example.org/b", "https://c.example/1", "https://c.example/2"];
    assert_eq!(inbox(&site), added.map(|url| (Wish::Add, url.to_owned())));
    assert_eq!(site.json("status")["inbox"], 4);
    assert!(site.run("status").out.contains("commands waiting  4"));
}

#[test]
fn pages_are_removed() {
    let site = Site::new();
    assert_eq!(site.run("add https://a.example/").code, 0);
    let run = site.run(&format!("remove {DOCS} https://a.example/"));
    assert_eq!((run.code, run.out.as_str()), (0, "2 pages to be removed when the engine next runs\n"), "{}", run.err);
    let many: String = SAMPLES.iter().map(|sample| format!("{}\n", sample.url)).collect();
    assert_eq!(site.folder.run_with_input("remove -", &many).code, 0, "also many at once");
    assert_eq!(inbox(&site).iter().filter(|(wish, _)| *wish == Wish::Remove).count(), 10);
}

#[test]
fn mistakes_change_nothing() {
    let site = Site::new();
    let tried = [
        ("add mailto:a@example.org", ""),
        ("add https://a.example/ https://", ""),
        ("add -", "https://a.example/\nno address\n"),
        ("add -", "\n"),
        ("add", ""),
        ("remove https://docs.example.org/absent", ""),
        (
            "remove -",
            "https://a.example/1\nhttps://a.example/2\nhttps://a.example/3\nhttps://a.example/4\nhttps://a.example/5\n",
        ),
    ];
    let mut said = String::new();
    for (arguments, input) in tried {
        let run = site.folder.run_with_input(arguments, input);
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{arguments}");
        said.push_str(&format!("{arguments}\n{}\n", run.err.lines().next().unwrap()));
    }
    insta::assert_snapshot!("feeding_mistakes", said);
    assert_eq!(inbox(&site), []);
}
