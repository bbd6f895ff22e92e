"""The site around the chapters: pages that no file holds, addresses, search, what runs in a page."""
