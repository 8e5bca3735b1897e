// Draws docs/demo.svg from a real run of the demo in a real terminal (tmux).  node scripts/picture.mjs
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const columns = 112;
const rows = 44;
const session = `loopwright-picture-${process.pid}`;
const tmux = (...args) => execFileSync("tmux", args, { encoding: "utf8" });

tmux(
  "new-session",
  "-d",
  "-s",
  session,
  "-x",
  String(columns),
  "-y",
  String(rows),
  "-c",
  root,
  "bash --norc",
);
tmux("send-keys", "-t", session, "PS1='$ '; clear; node dist/cli.cjs demo; echo \"exit $?\"", "Enter");
for (let waited = 0; waited < 120; waited += 1) {
  execFileSync("sleep", ["1"]);
  if (/^exit \d+$/m.test(tmux("capture-pane", "-p", "-t", session))) break;
}
const screen = tmux("capture-pane", "-p", "-e", "-t", session);
tmux("kill-session", "-t", session);

const COLORS = { 31: "#f47067", 32: "#57ab5a", 33: "#c69026", 36: "#39c5cf" };
const LINE = 19;
const CHARACTER = 8.43;

/** One terminal line as SVG spans; bold, dim and four colors are all that we print. */
function spans(line) {
  let style = "";
  let out = "";
  for (const part of line.split(/(\u001b\[[0-9;]*m)/)) {
    const code = /^\u001b\[([0-9;]*)m$/.exec(part);
    if (code === null) {
      const text = part.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll("\u000f", "");
      if (text !== "") out += `<tspan${style}>${text}</tspan>`;
      continue;
    }
    for (const number of code[1].split(";")) {
      if (number === "" || number === "0" || number === "39" || number === "22") style = "";
      else if (number === "2") style = ' fill="#768390"';
      else if (number === "1") style = ' font-weight="bold"';
      else if (COLORS[number] !== undefined) style = ` fill="${COLORS[number]}"`;
    }
  }
  return out;
}

const lines = screen
  .trimEnd()
  .split("\n")
  .filter((line) => !line.includes("PS1="))
  .map((line) =>
    line
      .replaceAll(/\/tmp\/[^\s/]+/g, "/tmp/…")
      .replaceAll(root, "…")
      .replaceAll(process.execPath, "node"),
  )
  .filter((line, index, all) => !(line.trim() === "$" && index === all.length - 1));
const text = lines.map(
  (line, index) => `<text x="16" y="${28 + index * LINE}" xml:space="preserve">${spans(line)}</text>`,
);
const width = Math.round(columns * CHARACTER + 32);
const height = lines.length * LINE + 32;
const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="a run of the demo">
<rect width="100%" height="100%" rx="8" fill="#22272e"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" fill="#cdd9e5">
${text.join("\n")}
</g>
</svg>
`;
writeFileSync(join(root, "docs/demo.svg"), svg);
console.log(`docs/demo.svg: ${lines.length} lines`);
