"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const panels = [...document.querySelectorAll('[role="tabpanel"]')];
const script = document.querySelector(".script");
const reason = document.getElementById("reason");
const hint = reason.innerHTML;
const linesOf = (panel) => [...panel.querySelectorAll(".line")];
const scriptLines = linesOf(script);
const fileLines = new Map(panels.map((panel) => [panel.dataset.path, linesOf(panel)]));
const holds = (place, line) => place.first <= line && line <= place.last;
let chosen = [];

function colour(lines, first, last, hue) {
  for (const line of lines.slice(first - 1, last)) {
    line.classList.add("linked", hue === null ? "plain" : "coloured");
    if (hue !== null) line.style.setProperty("--hue", hue);
  }
}

function show(path) {
  for (const panel of panels) panel.hidden = panel.dataset.path !== path;
  for (const tab of document.querySelectorAll('[role="tab"]'))
    tab.setAttribute("aria-selected", String(tab.dataset.path === path));
}

function reveal(lines, first, last) {
  // the whole stretch where it fits, else its beginning
  const line = lines[first - 1], pane = line.closest(".text");
  const height = lines[Math.min(last, lines.length) - 1].offsetTop - line.offsetTop;
  const above = Math.max(40, (pane.clientHeight - height) / 3);
  pane.scrollTop = line.offsetTop - pane.offsetTop - above;
}

function clear() {
  for (const line of document.querySelectorAll(".chosen, .exact")) line.classList.remove("chosen", "exact");
  chosen = [];
  reason.innerHTML = hint;
}

function mark(lines, place) {
  for (const line of lines.slice(place.first - 1, place.last)) line.classList.add("chosen");
}

function element(tag, className, text) {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}

function cause(part) {
  const made = element("div", `cause kind-${part.kind}`, "");
  const range = part.first === part.last ? `line ${part.first}` : `lines ${part.first} to ${part.last}`;
  made.append(element("span", "kind", data.kinds[part.kind]), element("span", "name", part.name));
  const here = element("button", "", range);
  here.addEventListener("click", () => reveal(scriptLines, part.first, part.last));
  made.append(here);
  for (const place of part.places) {
    const button = element("button", "place", `${place.path}:${place.first}` + (place.last > place.first ? `-${place.last}` : ""));
    button.addEventListener("click", () => { show(place.path); reveal(fileLines.get(place.path), place.first, place.last); });
    made.append(button);
  }
  if (part.origin && !part.places.some((place) => part.origin.startsWith(place.path)))
    made.append(element("span", "origin", part.origin));
  const why = element("p", "why", "");
  // every other piece between backticks is code
  part.why.split("`").forEach((text, place) => why.append(place % 2 ? element("code", "", text) : text));
  made.append(why);
  return made;
}

function choose(parts, scrolls) {
  clear();
  chosen = parts;
  if (!parts.length) return;
  for (const part of parts) {
    mark(scriptLines, part);
    for (const place of part.places) mark(fileLines.get(place.path), place);
  }
  reason.replaceChildren(...parts.map(cause));
  reason.scrollTop = 0;
  const [first] = parts;
  if (scrolls !== "script") reveal(scriptLines, first.first, first.last);
  if (scrolls !== "files" && first.places.length) {
    const [place] = first.places;
    show(place.path);
    reveal(fileLines.get(place.path), place.first, place.last);
  }
  history.replaceState(null, "", `#L${first.first}`);
}

function exact(line, path, own) {
  if (line) scriptLines[line - 1].classList.add("exact");
  if (path) fileLines.get(path)[own - 1].classList.add("exact");
}

function chooseScriptLine(line, scrolls = "script") {
  const part = data.parts.find((each) => holds(each, line));
  choose(part ? [part] : [], scrolls);
  const same = data.lines[line];
  if (part && same) {
    exact(line, same.path, same.first);
    reveal(fileLines.get(same.path), same.first, same.first);
  }
}

function chooseFileLine(path, line) {
  const touches = (part) => part.places.some((place) => place.path === path && holds(place, line));
  const same = Object.keys(data.lines).map(Number).find((each) => {
    const place = data.lines[each];
    return place.path === path && place.first === line;
  });
  // what the line became comes first, then what it asked for
  const parts = data.parts.filter(touches);
  parts.sort((one, other) => (holds(other, same ?? 0) - holds(one, same ?? 0)) || one.first - other.first);
  choose(parts, "files");
  if (same && parts.length) {
    exact(same, path, line);
    reveal(scriptLines, same, same);
  }
}

function lineNumber(event) {
  const line = event.target.closest(".line");
  return line && !String(getSelection()) ? Number(line.dataset.line) : 0;
}

for (const part of data.parts) colour(scriptLines, part.first, part.last, part.hue);
for (const each of data.stretches) colour(fileLines.get(each.path), each.first, each.last, each.hue);

script.addEventListener("click", (event) => { const line = lineNumber(event); if (line) chooseScriptLine(line); });
for (const panel of panels)
  panel.addEventListener("click", (event) => { const line = lineNumber(event); if (line) chooseFileLine(panel.dataset.path, line); });
for (const tab of document.querySelectorAll('[role="tab"]')) tab.addEventListener("click", () => show(tab.dataset.path));

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") { clear(); history.replaceState(null, "", location.pathname); return; }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step || event.target.closest("[role=tablist]")) return;
  event.preventDefault();
  const now = data.parts.indexOf(chosen[0]);
  const next = data.parts[now < 0 ? 0 : now + step];
  if (next) choose([next], "both");
});

function chooseFromAddress() {
  const found = /^#L(\d+)$/.exec(location.hash);
  if (found) chooseScriptLine(Number(found[1]), "both");
}
addEventListener("hashchange", chooseFromAddress);
chooseFromAddress();
