/** A program: lists a workspace with a folder that may not be read. Run it without root's rights. */
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { listedFolder } from "./list-folder.ts";

const { write, list, root, git, dispose } = listedFolder();
if (process.argv[2] === "git") git("init");
write("src/a.ts");
write("src/closed/hidden.ts");
chmodSync(join(root, "src/closed"), 0);
try {
  process.stdout.write([await list(), await list({ path: "src/closed" })].join("\n"));
} finally {
  chmodSync(join(root, "src/closed"), 0o755);
  dispose();
}
