/** Where runs of tests take place: behind the wall, or in the project itself. */
import { realpathSync } from "node:fs";
import { describe, onTestFinished } from "vitest";
import { childEnvironment } from "../../server/src/process/child-environment.ts";
import { ignoredByGit } from "../../server/src/process/git.ts";
import { kernelFiles } from "../../server/src/repl/confinement/launch-plan.ts";
import type { TestPlace } from "../../server/src/repl/testing/run-tests.ts";
import { layerRooms } from "../../server/src/sandbox/runs/layer-rooms.ts";
import { Sandbox } from "../../server/src/sandbox/sandbox.ts";
import { runsAll } from "./extent.ts";
import { describeWalled, filesBelow, hasWall, walledPath } from "./wall.ts";

export type Level = "walled" | "unwalled";

/** Describes what holds in both levels: behind the wall, and with `AGENTQ_TESTS=all` or where there is none, without it too. */
export function describeLevels(title: string, body: (level: Level) => void): void {
  describeWalled(`${title}, walled`, () => body("walled"));
  if (runsAll || !hasWall) describe(`${title}, unwalled`, () => body("unwalled"));
}

/** `texts` is the unsaved text of open documents, by absolute path. */
export function placeOfTests(level: Level, folder: string, texts: Readonly<Record<string, string>> = {}): TestPlace {
  if (level === "unwalled") return { whyNotWalled: "bubblewrap (bwrap) is not on PATH." };
  const root = realpathSync(folder);
  const sandbox = new Sandbox({
    folders: () => [root],
    env: { ...childEnvironment(), PATH: walledPath() },
    listFiles: async (listed) => ({ files: filesBelow(listed), unread: [] }),
  });
  onTestFinished(() => sandbox.dispose());
  const withRoom = layerRooms({
    sandbox,
    needed: kernelFiles(),
    unsaved: async () => new Map(Object.entries(texts)),
    ignored: (paths, signal) => ignoredByGit(root, paths, signal).then((found) => new Set(found)),
  });
  return { withRoom };
}
