/** A real Neovim, driven over RPC with a UI attached, on a copy of the example project. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { attach, type NeovimClient } from "neovim";
import type { ScriptedModel } from "../../examples/demo/scripted-model.ts";
import type { Script } from "../../examples/demo/model/script.ts";
import { Stage } from "../support/editor-stage.ts";
import type { Editor } from "../support/editors.ts";
import type { ServersHere } from "../support/server-here.ts";
import { Replay, type ReplayOptions } from "../support/traffic/replay.ts";
import { Screen, type Look, type Run } from "./screen.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const PATIENCE_MS = 40_000;
const FIRST_PAUSE_MS = 5;
const LAST_PAUSE_MS = 50;
const PATIENCE_TO_END_MS = 2000;

/** How often it is looked whether Neovim waits for Enter while nothing is drawn. */
const LOOK_AGAIN_MS = 500;

export interface NeovimOptions {
  readonly editor: Editor;
  /** A file of the project that is open, with its server at work, when the start is over. */
  readonly file?: string;
  readonly script?: Script;
  /** Lua that runs before the client loads. */
  readonly before?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
  /** A recording that is played in place of a server. */
  readonly traffic?: Pick<ReplayOptions, "recording" | "holdAt">;
  /**
   * Left out, the server runs in the process of the tests and may remember earlier conversations; a new one does not, and what
   * is about the process itself gets one with a process of its own.
   */
  readonly server?: "new" | "process";
  /** The command of the server; the default is the built one. */
  readonly serverCommand?: readonly string[];
}

export class Neovim {
  readonly folder: string;
  readonly project: string;
  readonly model: ScriptedModel | undefined;
  readonly replay: Replay | undefined;
  readonly client: NeovimClient;
  readonly #screen: Screen;
  readonly #servers: ServersHere;
  readonly #stop: () => Promise<void>;

  constructor(parts: {
    folder: string;
    project: string;
    model: ScriptedModel | undefined;
    replay: Replay | undefined;
    client: NeovimClient;
    screen: Screen;
    servers: ServersHere;
    stop: () => Promise<void>;
  }) {
    this.folder = parts.folder;
    this.project = parts.project;
    this.model = parts.model;
    this.replay = parts.replay;
    this.client = parts.client;
    this.#screen = parts.screen;
    this.#servers = parts.servers;
    this.#stop = parts.stop;
  }

  path(relative: string): string {
    return join(this.project, relative);
  }

  uri(relative: string): string {
    return pathToFileURL(this.path(relative)).href;
  }

  /** Runs Lua that may `return` a value; `...` are the arguments. */
  async lua<Result = unknown>(code: string, ...args: readonly unknown[]): Promise<Result> {
    return (await this.client.executeLua(code, args as never[])) as Result;
  }

  async command(text: string): Promise<void> {
    await this.client.command(text);
  }

  /** Types keys as a person would; `<CR>` and the like are keys. */
  async type(keys: string): Promise<void> {
    await this.client.input(keys);
  }

  async open(relative: string): Promise<void> {
    await this.command(`edit ${relative}`);
  }

  async lines(relative?: string): Promise<string[]> {
    return await this.lua(
      `local name = ...
       return vim.api.nvim_buf_get_lines(name ~= "" and vim.fn.bufnr(name) or 0, 0, -1, true)`,
      relative === undefined ? "" : this.path(relative),
    );
  }

  /** What is on the screen, row by row, without trailing blanks, after everything was drawn. */
  async screen(): Promise<string> {
    // What is drawn arrives on the same channel before the answer.
    await this.command("redraw");
    return this.#screen.text();
  }

  /** What is on the screen with its colours, after everything was drawn. */
  async picture(): Promise<{ readonly rows: Run[][]; readonly defaults: Look }> {
    await this.command("redraw");
    return { rows: this.#screen.runs(), defaults: this.#screen.defaults };
  }

  /** The whole transcript of the chat. */
  async transcript(): Promise<string> {
    return await this.lua(`
      for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
        if vim.api.nvim_buf_get_name(bufnr):match("^agentq://chat/") then
          return table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), "\\n")
        end
      end
      return ""
    `);
  }

  /** Everything that was said by vim.notify since the start. */
  async notifications(): Promise<string[]> {
    return await this.lua("return _G.test_notifications");
  }

  /** Data of every `User AgentQ…` autocommand seen, oldest first. */
  async events<Data = Record<string, unknown>>(name: string): Promise<Data[]> {
    return await this.lua(`return _G.test_events[...] or {}`, name);
  }

  /**
   * Asks until `probe` answers something true; fails with `what`, the screen and the messages.
   *
   * @param pause what to wait for before the next look, at most until the signal; else the looks become rarer with the time
   */
  async until<Value>(
    what: string,
    probe: () => Promise<Value> | Value,
    pause?: (signal: AbortSignal) => Promise<unknown>,
  ): Promise<Exclude<Value, false | null | undefined>> {
    const deadline = Date.now() + PATIENCE_MS;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LAST_PAUSE_MS, pauseMs * 1.5)) {
      await this.#refuseToWaitForEnter(what);
      const value = await probe();
      if (value !== undefined && value !== null && value !== false) {
        return value as Exclude<Value, false | null | undefined>;
      }
      if (Date.now() > deadline) throw new Error(`waited in vain until ${what}\n${await this.describe()}`);
      await (pause === undefined ? sleep(pauseMs) : pause(AbortSignal.timeout(LOOK_AGAIN_MS)));
    }
  }

  /** A message longer than the command line stops everything until a key is pressed: mostly an error of the client. */
  async #refuseToWaitForEnter(what: string): Promise<void> {
    const { mode } = (await this.client.request("nvim_get_mode", [])) as { mode: string };
    if (mode !== "r" && mode !== "rm") return;
    await this.type("<CR>");
    throw new Error(`Neovim asked for Enter while waiting until ${what}\n${await this.describe()}`);
  }

  async untilEvent<Data = Record<string, unknown>>(name: string, count = 1): Promise<Data> {
    const seen = await this.until(`AgentQ${name} fired ${count} times`, async () => {
      const events = await this.events<Data>(name);
      return events.length >= count && events;
    });
    return seen[count - 1] as Data;
  }

  /** Waits until the screen shows all the texts. Neovim tells what it draws; nothing is asked. */
  async untilScreen(...texts: readonly (string | RegExp)[]): Promise<string> {
    return await this.until(
      `the screen shows ${texts.join(" and ")}`,
      () => {
        const screen = this.#screen.text();
        return texts.every((text) => (typeof text === "string" ? screen.includes(text) : text.test(screen))) && screen;
      },
      (signal) => this.#screen.untilDrawn(signal),
    );
  }

  async untilTranscript(...texts: readonly string[]): Promise<string> {
    return await this.until(`the transcript holds ${texts.join(" and ")}`, async () => {
      const transcript = await this.transcript();
      return texts.every((text) => transcript.includes(text)) && transcript;
    });
  }

  /** Waits for a question on the command line, then answers it. */
  async answer(text: string, end = "<CR>"): Promise<void> {
    // While a question is open only fast calls are answered for sure, and asking for the mode is one.
    await this.until("a question is asked", async () => {
      const { mode } = (await this.client.request("nvim_get_mode", [])) as { mode: string };
      return mode === "c";
    });
    await this.type(`${text}${end}`);
  }

  /** Waits for a question that one key answers, then presses the key. */
  async answerWithKey(key: string): Promise<void> {
    await this.until("a key is asked for", async () => {
      const { mode } = (await this.client.request("nvim_get_mode", [])) as { mode: string };
      return mode === "r?";
    });
    await this.type(key);
  }

  async untilReady(): Promise<void> {
    await this.until("the server is attached", () =>
      this.lua<boolean>(`
        local client = vim.lsp.get_clients({ name = "agentq" })[1]
        return client ~= nil and client.initialized == true
      `),
    );
  }

  async describe(): Promise<string> {
    const notifications = (await this.notifications()).join("\n");
    const messages = await this.lua<string>("return vim.fn.execute('messages')");
    const mismatches = this.model?.mismatches.join("\n") ?? "";
    const errors = await this.lua<string>("return table.concat(_G.test_stderr or {}, '')");
    return [await this.screen(), await this.transcript(), notifications, messages, mismatches, errors].join("\n--\n");
  }

  /** Ends the server of a project, by default of the example; the editor hears that a signal did it. */
  async killServer(project = this.project): Promise<void> {
    await this.lua("_G.test_signal = 9");
    await this.#servers.cut(project);
  }

  async dispose(): Promise<void> {
    await this.#stop();
  }
}

/** Watches what scripts and messages do, before anything of the client runs. */
const WATCH = `
  _G.test_notifications = {}
  _G.test_events = {}
  _G.test_own_notify = vim.notify
  vim.notify = function(message) table.insert(_G.test_notifications, message) end
  vim.notify_once = vim.notify
  vim.api.nvim_create_autocmd("User", {
    pattern = "AgentQ*",
    callback = function(args)
      local name = args.match:sub(7)
      _G.test_events[name] = _G.test_events[name] or {}
      table.insert(_G.test_events[name], args.data)
    end,
  })
`;

/** In place of the server's process that would be started there is one that listens. */
const CONNECT = `
  local command, socket = ...
  local start = vim.lsp.rpc.start
  vim.lsp.rpc.start = function(cmd, dispatchers, ...)
    if not vim.deep_equal(cmd, command) then return start(cmd, dispatchers, ...) end
    return vim.lsp.rpc.connect(socket)(vim.tbl_extend("force", dispatchers, {
      on_exit = function()
        dispatchers.on_exit(0, _G.test_signal or 0)
        _G.test_signal = nil
      end,
    }))
  end
`;

/** In order, so that what they cost is counted. */
const END_SERVERS = `
  for _, client in ipairs(vim.lsp.get_clients()) do client:stop() end
  vim.wait(${PATIENCE_TO_END_MS}, function() return #vim.lsp.get_clients() == 0 end, 5)
`;

export async function startNeovim(options: NeovimOptions): Promise<Neovim> {
  const stage = Stage.take();
  const { folder, project, servers } = stage;
  const model = options.script === undefined ? undefined : await stage.play(options.script);
  const replay =
    options.traffic === undefined ? undefined : await Replay.start({ folder, project, ...options.traffic });
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: join(folder, "home"),
    TERM: "xterm-256color",
    LANG: "C.UTF-8",
    NVIM_LOG_FILE: join(folder, "nvim.log"),
    XDG_STATE_HOME: join(folder, "home"),
    XDG_CACHE_HOME: process.env["XDG_CACHE_HOME"] ?? "",
    ...(model === undefined ? {} : { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "scripted" }),
    ...options.env,
  };
  servers.useVariables(env);
  if (options.server === "new") await servers.startAnew();
  const child = spawn(options.editor.path, ["--embed", "--clean", "-n", "-i", "NONE"], {
    cwd: project,
    stdio: ["pipe", "pipe", "ignore"],
    env,
  });
  const exited = once(child, "exit");
  const client = attach({ proc: child, options: { logger: quiet } });
  const stop = async (): Promise<void> => {
    const hasOwnServer = options.server === "process" || options.serverCommand !== undefined;
    if (hasOwnServer) await Promise.race([client.executeLua(END_SERVERS, []), sleep(PATIENCE_TO_END_MS), exited]);
    // "qa!" never answers; the process is ended from outside.
    child.kill("SIGKILL");
    await exited;
    replay?.dispose();
    await stage.giveBack();
  };
  const neovim = new Neovim({ folder, project, model, replay, client, screen: new Screen(client), servers, stop });
  try {
    await client.uiAttach(options.columns ?? 150, options.rows ?? 44, { ext_linegrid: true, rgb: true });
    const command = options.serverCommand ?? [process.execPath, join(root, "bin/agentq.js"), "--stdio"];
    await neovim.lua(WATCH);
    await neovim.lua(
      `local runtime, command = ...
       vim.opt.runtimepath:prepend(runtime)
       vim.opt.swapfile = false
       vim.o.more = false
       vim.g.agentq = { cmd = command, auto_start = true }`,
      join(root, "client-nvim"),
      command,
    );
    if (options.serverCommand === undefined && options.server !== "process") {
      await neovim.lua(CONNECT, command, replay?.socket ?? servers.socket);
    }
    if (options.before !== undefined) await neovim.lua(options.before);
    await neovim.command("runtime plugin/agentq.lua");
    if (options.file !== undefined) {
      await neovim.open(options.file);
      await neovim.untilReady();
    }
    return neovim;
  } catch (error) {
    await stop();
    throw error;
  }
}

const quiet = {
  level: "error",
  info: () => quiet,
  warn: () => quiet,
  error: () => quiet,
  debug: () => quiet,
} as never;
