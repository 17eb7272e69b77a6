/** What holds the REPL of a server that a test starts on this machine. */
import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { childEnvironment } from "../../server/src/process/child-environment.ts";
import { findWall } from "../../server/src/sandbox/find-wall.ts";

const found = await findWall({ env: childEnvironment(), folder: realpathSync(tmpdir()) });

export const levelHere: "walled" | "limited" = found.kind === "walled" ? "walled" : "limited";
