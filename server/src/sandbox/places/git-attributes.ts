/**
 * Git prints what was committed, also of files that are empty behind the wall. Whoever compares versions, as `git diff` and
 * `git log -p` do, hears only that a file under a name of secrets differs; whoever asks for one file by name gets it.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { SECRET_PATTERNS } from "../../workspace/secret-names.ts";
import type { Layer } from "../layer/layer.ts";
import type { Mount } from "../wall/view.ts";

const SHOWN_AT = "/run/agentq-git-attributes";

/** Settings of the environment hold in every repository and submodule that a program asks. */
export const GIT_SETTINGS: Readonly<Record<string, string>> = {
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "core.attributesFile",
  GIT_CONFIG_VALUE_0: SHOWN_AT,
};

export function gitAttributes({ folder }: Pick<Layer, "folder">): Mount {
  const from = join(folder, "git-attributes");
  writeFileSync(from, SECRET_PATTERNS.map((pattern) => `${inAnyCase(pattern)} -diff\n`).join(""));
  return { kind: "read", path: SHOWN_AT, from };
}

function inAnyCase(pattern: string): string {
  return pattern.replaceAll(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}
