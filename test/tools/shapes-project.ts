/** The fixture `shapes-project` with its packages where an installer would put them, in a folder of its own. */
import { cpSync, mkdtempSync, realpathSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { fixtures } from "../unit/typescript/with-typescript.ts";
import { openFixture, type Fixture } from "./ask-fixture.ts";

export interface ShapesProject extends Fixture {
  readonly root: string;
  /** Shows the compiler a text that is not on disk. */
  readonly edit: (path: string, text: string) => void;
  readonly close: (path: string) => void;
  readonly dispose: () => Promise<void>;
}

export function openShapes(): ShapesProject {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "agentq-shapes-")));
  cpSync(join(fixtures, "shapes-project"), root, { recursive: true });
  // `node_modules` is nothing that a repository keeps.
  renameSync(join(root, "installed"), join(root, "node_modules"));
  const { service, ask } = openFixture(root);
  const uriOf = (path: string): string => pathToFileURL(join(root, path)).href;
  return {
    root,
    service,
    ask,
    edit: (path, text) => service.documents.didOpen({ uri: uriOf(path), languageId: "typescript", version: 1, text }),
    close: (path) => service.documents.didClose({ uri: uriOf(path) }),
    dispose: async () => {
      await service.dispose();
      rmSync(root, { recursive: true, force: true });
    },
  };
}
