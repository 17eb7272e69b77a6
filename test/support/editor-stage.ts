/** What stands around a Neovim and is dear to make: a copy of the example project, the model, servers. One for each after the other. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Script } from "../../examples/demo/model/script.ts";
import type { ScriptedModel } from "../../examples/demo/model/server.ts";
import { whenEditorsEnd } from "./editors.ts";
import { restoreFolder } from "./restore-folder.ts";
import { ServersHere } from "./server-here.ts";
import { startSwitchedModel, type SwitchedModel } from "./switched-model.ts";
import { walledPath } from "./wall.ts";

const example = fileURLToPath(new URL("../../examples/invoices", import.meta.url));

const waiting: Stage[] = [];
const all = new Set<Stage>();
let pathBefore: string | undefined;

whenEditorsEnd(async () => {
  waiting.length = 0;
  await Promise.all([...all].map((stage) => stage.dispose()));
  if (pathBefore !== undefined) process.env["PATH"] = pathBefore;
  pathBefore = undefined;
});

export class Stage {
  readonly folder: string;
  readonly project: string;
  readonly servers: ServersHere;
  #model: SwitchedModel | undefined;

  private constructor() {
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), "agentq-editor-")));
    this.project = join(this.folder, "invoices");
    cpSync(example, this.project, { recursive: true, filter: (source) => !source.endsWith("node_modules") });
    this.servers = new ServersHere(this.folder);
    all.add(this);
  }

  /** One that nobody uses, as new. */
  static take(): Stage {
    // The servers here look for the wall where this process does.
    pathBefore ??= process.env["PATH"] ?? "";
    process.env["PATH"] = [dirname(process.execPath), walledPath(pathBefore)].join(delimiter);
    const stage = waiting.pop() ?? new Stage();
    mkdirSync(join(stage.folder, "home"));
    return stage;
  }

  /** The model, which plays the script on a project until it is told another one, and has heard nothing yet. */
  async play(script: Script, project = this.project): Promise<ScriptedModel> {
    this.#model ??= await startSwitchedModel(script, project);
    this.#model.follow(script, project);
    return this.#model;
  }

  /** For the next one, after the editor has ended. */
  async giveBack(): Promise<void> {
    await this.servers.hangUp();
    for (const name of readdirSync(this.folder)) {
      if (!/^(?:invoices|server|state-\d+)$/.test(name)) rmSync(join(this.folder, name), { recursive: true });
    }
    this.servers.filesChanged(restoreFolder(example, this.project));
    waiting.push(this);
  }

  async dispose(): Promise<void> {
    all.delete(this);
    await this.servers.dispose();
    await this.#model?.dispose();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }
}
