/** A form may name a file in another form of Unicode than the disk does. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { withFilesOnDisk } from "../../../../server/src/repl/forms/named-files.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "agentq-named-files-")));
afterAll(() => rmSync(root, { recursive: true }));
const [folder, file] = ["größe", "zähler.ts"].map((name) => name.normalize("NFD")) as [string, string];
mkdirSync(join(root, folder));
writeFileSync(join(root, folder, file), "");
writeFileSync(join(root, "für.ts"), "");

it.runIf(process.platform === "linux")("takes the one file that has the same letters", () => {
  const on = (code: string, module?: string): string => withFilesOnDisk(code, module, root);
  expect(on('import { a } from "./größe/zähler.ts"; await import("./größe/zähler.ts")')).toBe(
    `import { a } from "./${folder}/${file}"; await import("./${folder}/${file}")`,
  );
  expect(on("require('../größe/zähler.ts')", join(root, folder, "b.ts"))).toBe(`require('../${folder}/${file}')`);
  for (const kept of ['import "./für.ts"', 'import "./nie-gewesen-ä.ts"', 'const from = "./ä"', '"größe/zähler.ts"'])
    expect(on(kept)).toBe(kept);
});
