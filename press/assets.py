def made():
    return {"assets/palette.css": b"", "assets/favicon.svg": b"<svg/>"}
