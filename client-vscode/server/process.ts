/** The process of the server: how it is found, started with the person's key, started again, and what is said where it is not there. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { access, constants } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import * as vscode from "vscode";
import { LanguageClient, State } from "vscode-languageclient/node";
import type { Agentq } from "./agentq.ts";
import { answerBuffers } from "./buffers.ts";

const KEY = "agentq.key";
const CAPABILITIES = { version: 1, proposals: true, approvals: true, buffers: true };
/** Of what the server wrote to stderr: the end, which says why it ended. */
const KEPT_STDERR = 2000;
const LAST_WORDS_MS = 1000;

/** Where `npm install -g` and its kin put programs that the PATH of a desktop's login shell may lack. */
const USUAL = [".local/bin", ".npm-global/bin", ".volta/bin", ".local/share/pnpm", ".bun/bin"].map((name) =>
  join(homedir(), name),
);

/** Says nothing in notifications of its own: what is said here tells what to do. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

export class ServerProcess implements vscode.Disposable {
  readonly #agentq: Agentq;
  readonly #secrets: vscode.SecretStorage;
  readonly #output = vscode.window.createOutputChannel("Agent-Q", { log: true });
  #client: LanguageClient | undefined;
  #stderr = "";
  /** Settles when all that the process wrote has been read. */
  #closed: Promise<unknown> = Promise.resolve();
  /** One thing at a time: a start during a stop comes after it. */
  #last: Promise<void> = Promise.resolve();

  constructor(agentq: Agentq, secrets: vscode.SecretStorage) {
    this.#agentq = agentq;
    this.#secrets = secrets;
  }

  /** Never rejects: why there is no server is told in a message, with what to do. */
  async start(): Promise<void> {
    await this.#inOrder(async () => {
      if (this.#client === undefined) await this.#start();
    });
  }

  async restart(): Promise<void> {
    await this.#inOrder(async () => {
      await this.#stop();
      await this.#start();
    });
  }

  async stop(): Promise<void> {
    await this.#inOrder(() => this.#stop());
  }

  /** Asks for the model's key, keeps it in VS Code's secret storage, and starts the server with it. */
  async setKey(): Promise<void> {
    const key = await vscode.window.showInputBox({
      title: "The key of the model's API",
      prompt: `Kept in VS Code's secret storage, and given to the server as ${keyVariable()}. Empty forgets the key.`,
      password: true,
      ignoreFocusOut: true,
    });
    if (key === undefined) return;
    await (key === "" ? this.#secrets.delete(KEY) : this.#secrets.store(KEY, key));
    await this.restart();
  }

  showLog(): void {
    this.#output.show(true);
  }

  dispose(): void {
    void this.stop().finally(() => this.#output.dispose());
  }

  async #inOrder(work: () => Promise<void>): Promise<void> {
    this.#last = this.#last.then(work).catch((error: unknown) => this.#output.error(String(error)));
    await this.#last;
  }

  async #start(): Promise<void> {
    const [named = "agentq", ...args] = settings().get<string[]>("command", ["agentq", "--stdio"]);
    const program = await programAt(named);
    if (program === undefined) return this.#notThere(`The program “${named}” that is Agent-Q's server was not found.`);
    const client = new QuietClient("agentq", "Agent-Q", async () => await this.#spawn(program, args), {
      documentSelector: [{ scheme: "file" }],
      outputChannel: this.#output,
      initializationOptions: settings().get<object>("settings", {}),
      middleware: this.#agentq.left.middleware,
    });
    client.registerFeature({
      fillClientCapabilities: (capabilities) => {
        capabilities.experimental = { ...capabilities.experimental, agentq: CAPABILITIES };
      },
      // The code actions of the server name this command, which the chat has registered: VS Code takes no second one.
      preInitialize: ({ executeCommandProvider: executes }) => {
        if (executes !== undefined) executes.commands = executes.commands.filter((name) => name !== "agentq.ask");
      },
      initialize: () => {},
      getState: () => ({ kind: "static" }),
      clear: () => {},
    });
    this.#agentq.hear(client);
    answerBuffers(client);
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Running) this.#agentq.connect(client);
      else if (newState === State.Stopped) this.#agentq.connect(undefined);
    });
    this.#client = client;
    try {
      await client.start();
    } catch (error) {
      this.#client = undefined;
      await client.dispose().catch(() => undefined);
      await Promise.race([this.#closed, pause(LAST_WORDS_MS)]);
      this.#notThere(`Agent-Q's server did not start: ${lastLines(this.#stderr) || String(error)}`);
    }
  }

  async #stop(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    // A server that is being started or has died cannot be asked to stop.
    await client?.dispose().catch(() => undefined);
  }

  async #spawn(program: string, args: readonly string[]): Promise<ChildProcess> {
    const key = await this.#secrets.get(KEY);
    const env = { ...process.env, ...(key === undefined ? {} : { [keyVariable()]: key }) };
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    const child = spawn(program, args, { env, cwd: folder, shell: isScript(program) });
    this.#stderr = "";
    child.stderr
      .setEncoding("utf8")
      .on("data", (text: string) => (this.#stderr = (this.#stderr + text).slice(-KEPT_STDERR)));
    this.#closed = once(child, "close").catch(() => undefined);
    return await new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("spawn", () => resolve(child));
    });
  }

  #notThere(why: string): void {
    this.#output.error(why);
    const answers = { install: "Install", choose: "Choose the Command", open: "Open Settings" };
    const shown = vscode.window.showErrorMessage(why, ...Object.values(answers));
    void shown.then(async (answer) => {
      if (answer === answers.install) await vscode.commands.executeCommand("agentq.walkthrough");
      if (answer === answers.choose) await this.chooseCommand();
      if (answer === answers.open)
        await vscode.commands.executeCommand("workbench.action.openSettings", "agentq.command");
    });
  }

  /** Asks for the program that is the server, writes that into the settings of this machine, and starts it. */
  async chooseCommand(): Promise<void> {
    const now = settings().get<string[]>("command", []);
    const given = await vscode.window.showInputBox({
      title: "The command that starts Agent-Q's server",
      prompt: "An absolute path, or a name on the PATH; “node /path/to/bin/agentq.js --stdio” for a checkout.",
      value: now.join(" "),
      ignoreFocusOut: true,
    });
    if (given === undefined || given.trim() === "") return;
    const words = given.trim().match(/"[^"]*"|\S+/g) ?? [];
    const command = words.map((word) => word.replaceAll('"', ""));
    // The change of the setting starts the server.
    await settings().update("command", command.includes("--stdio") ? command : [...command, "--stdio"], true);
  }
}

function settings(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration("agentq");
}

function keyVariable(): string {
  const { keyVariable: named } = settings().get<{ keyVariable?: unknown }>("settings", {});
  return typeof named === "string" ? named : "ANTHROPIC_API_KEY";
}

/** The absolute path, or undefined where no such program can be run. */
async function programAt(name: string): Promise<string | undefined> {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), ...USUAL];
  const endings = process.platform === "win32" ? [".cmd", ".exe", ""] : [""];
  const places = isAbsolute(name)
    ? [name]
    : folders.filter((folder) => isAbsolute(folder)).map((folder) => join(folder, name));
  for (const place of places.flatMap((each) => endings.map((ending) => each + ending))) {
    const isThere = await access(place, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return place;
  }
  return undefined;
}

/** Windows runs such a file by its shell alone. */
function isScript(program: string): boolean {
  return /\.(?:cmd|bat)$/i.test(program);
}

function lastLines(text: string): string {
  return text.trim().split("\n").slice(-3).join(" ").trim();
}
