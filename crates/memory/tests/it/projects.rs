//! Which project something is about.

use std::path::Path;

use tenter_memory::Project;

fn git(folder: &Path, origin: Option<&str>) {
    let url = origin.map_or(String::new(), |origin| format!("[remote \"origin\"]\n\turl = {origin}\n"));
    std::fs::create_dir_all(folder.join(".git")).unwrap();
    std::fs::write(
        folder.join(".git/config"),
        format!("[core]\n\tbare = false\n[remote \"fork\"]\n\turl = git@example.com:bob/shop.git\n{url}[branch \"main\"]\n"),
    )
    .unwrap();
}

#[test]
fn every_spelling_of_an_origin_is_one_project() {
    for url in [
        "https://github.com/Ann/Shop.git",
        "https://ann:secret@github.com/ann/shop",
        "http://GitHub.com:443/ann/shop/",
        "git@github.com:ann/shop.git",
        "ssh://git@github.com:22/ann/shop.git",
        "git://github.com/ann/shop.git/",
        "\"git@github.com:ann/shop.git\"",
    ] {
        let home = tempfile::tempdir().unwrap();
        git(home.path(), Some(url));
        assert_eq!(Project::from_folder(home.path()).as_str(), "github.com/ann/shop", "{url}");
    }
}

#[test]
fn subfolders_and_worktrees_are_the_project_of_their_repository() {
    let home = tempfile::tempdir().unwrap();
    let main = home.path().join("shop");
    git(&main, None);
    std::fs::create_dir_all(main.join("src/deep")).unwrap();
    let worktree = home.path().join("elsewhere");
    std::fs::create_dir_all(main.join(".git/worktrees/elsewhere")).unwrap();
    std::fs::write(main.join(".git/worktrees/elsewhere/commondir"), "../..\n").unwrap();
    std::fs::create_dir_all(worktree.join("src")).unwrap();
    let back = format!("{}/.git\n", worktree.display());
    std::fs::write(main.join(".git/worktrees/elsewhere/gitdir"), back).unwrap();
    std::fs::write(worktree.join(".git"), format!("gitdir: {}/.git/worktrees/elsewhere\n", main.display()))
        .unwrap();
    let project = Project::from_folder(&main);
    assert_eq!(project.as_str(), main.canonicalize().unwrap().display().to_string());
    for folder in [main.join("src/deep"), worktree.clone(), worktree.join("src")] {
        assert_eq!(Project::from_folder(&folder), project, "{}", folder.display());
    }
    git(&main, Some("git@github.com:ann/shop.git"));
    assert_eq!(Project::from_folder(&worktree).as_str(), "github.com/ann/shop");
}

#[test]
fn a_folder_without_a_repository_is_a_project_of_its_own() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().canonicalize().unwrap();
    assert_eq!(Project::from_folder(home.path()).as_str(), path.display().to_string());
    assert_eq!(Project::from_folder(Path::new("/nowhere/at/all")).as_str(), "/nowhere/at/all");
}
