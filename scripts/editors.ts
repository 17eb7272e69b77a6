// Brings the editors that the end-to-end tests drive, luacheck and bubblewrap into `.cache/editors`.
//
//   npm run editors [nvim] [emacs] [luacheck] [bwrap]
//
// On Debian the editors come from the machine's own apt mirror, unpacked into this checkout; nothing is installed on the
// machine and no root is needed. Elsewhere the editors on PATH are used when they are new enough.
//
// Release tarballs would not do: Emacs publishes no program for Linux, only its source, and luacheck neither; Neovim
// does, but on GitHub alone, which a machine behind a mirror often cannot reach. Two Debian suites hold two versions of
// each editor, with every library they need and signatures that the machine can check already.
import { programKinds, provideEditors } from "./editors/provide-editors.ts";

const names = process.argv.slice(2);
const kinds = programKinds.filter((kind) => names.includes(kind));

if (names.some((name) => !kinds.some((kind) => kind === name))) {
  process.stderr.write(`Choose from ${programKinds.join(", ")}.\n`);
  process.exitCode = 2;
} else {
  const { editors, missing } = provideEditors(kinds.length > 0 ? kinds : programKinds);
  for (const { kind, version, path } of editors) process.stdout.write(`${kind} ${version} ${path}\n`);
  for (const { name, reason } of missing) process.stderr.write(`${name} is missing: ${reason}\n`);
  if (missing.length > 0 && process.env["CI"] === "true") process.exitCode = 1;
}
