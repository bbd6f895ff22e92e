"""What pytest does not look into: answers, which are no tests."""

collect_ignore_glob = ["*_answers"]
