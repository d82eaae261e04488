// Makes the figures of plots.slider move, every one that does not yet; to run it twice does no harm.
for (const input of document.querySelectorAll(".frame-slider input")) {
  if (input.style.display !== "none") continue;
  const slider = input.closest(".frame-slider");
  const frames = slider.querySelectorAll(".frames img");
  const output = slider.querySelector("output");
  const notes = output.querySelectorAll("span");

  const show = () => {
    const chosen = input.valueAsNumber;
    frames.forEach((frame, place) => { frame.style.display = place === chosen ? "" : "none"; });
    notes.forEach((note, place) => { note.style.visibility = place === chosen ? "" : "hidden"; });
    // A screen reader says this, and the note is no live region: once is enough.
    input.setAttribute("aria-valuetext", notes[chosen].textContent);
  };

  // All notes take the same place, so that nothing jumps where one of them needs more lines.
  output.style.display = "grid";
  for (const note of notes) {
    note.style.display = "";
    note.style.gridArea = "1 / 1";
  }
  input.addEventListener("input", show);
  show();
  input.style.display = "";
}
