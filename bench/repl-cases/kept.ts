/** A peer's answer is kept as long as neither the peer's version nor the case has changed. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { StrangersCase } from "../../test/strangers/case.ts";
import type { Verdict } from "../../test/strangers/judge.ts";
import type { Peer } from "./peers.ts";

const file = fileURLToPath(new URL("../../.cache/peers/answers.json", import.meta.url));

export interface Kept {
  readonly get: (peer: Peer, each: StrangersCase) => Verdict | undefined;
  readonly set: (peer: Peer, each: StrangersCase, verdict: Verdict) => void;
}

export function keptAnswers(): Kept {
  const answers = (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {}) as Record<string, Verdict>;
  return {
    get: (peer, each) => answers[keyOf(peer, each)],
    set: (peer, each, verdict) => {
      answers[keyOf(peer, each)] = verdict;
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, `${JSON.stringify(answers, undefined, 1)}\n`);
    },
  };
}

/** A case with another name is still the same question. */
function keyOf({ name, version, shown }: Peer, { steps, files, typescript }: StrangersCase): string {
  const asked = JSON.stringify([shown, steps, files, typescript]);
  return `${name} ${version} ${createHash("sha256").update(asked).digest("hex").slice(0, 24)}`;
}
