/* What a page is for a plaything, in a notebook: no figure to replace, no address to keep. widget.js builds it. */
tokensel.builds = {};
tokensel.plaything = (name, build) => { tokensel.builds[name] = build; };
