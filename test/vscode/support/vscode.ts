/** A real VS Code, with the packed extension, in a browser that a test drives. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { chromium, type Browser, type Frame, type Page } from "playwright-core";
import { killWithGroup, spawn, type ChildProcess } from "../../../server/src/process/spawn.ts";

export interface VsCodeOptions {
  /** The program of code-server: `…/out/node/entry.js`. */
  readonly program: string;
  readonly browser: string;
  /** The packed extension. */
  readonly vsix: string;
  /** A folder that is copied and opened. */
  readonly project: string;
  /** Beside those that keep VS Code itself quiet; `command` is the setting `agentq.command`. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly size?: { readonly width: number; readonly height: number };
  /** Beside the environment of the tests. */
  readonly env?: Readonly<Record<string, string>>;
  /** Where pictures go; none are kept without. */
  readonly pictures?: string;
}

/** VS Code says nothing of itself, and offers no agent of its own. */
const QUIET = {
  "workbench.startupEditor": "none",
  "workbench.colorTheme": "Default Dark Modern",
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "extensions.ignoreRecommendations": true,
  "chat.disableAIFeatures": true,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "security.workspace.trust.enabled": false,
  "files.autoSave": "off",
  "git.openRepositoryInParentFolders": "never",
};

export class VsCode {
  readonly folder: string;
  readonly page: Page;
  readonly #browser: Browser;
  readonly #server: ChildProcess;
  readonly #home: string;
  readonly #options: VsCodeOptions;
  readonly #url: string;
  #pictures = 0;

  constructor(parts: {
    home: string;
    folder: string;
    page: Page;
    browser: Browser;
    server: ChildProcess;
    options: VsCodeOptions;
    url: string;
  }) {
    this.#home = parts.home;
    this.folder = parts.folder;
    this.page = parts.page;
    this.#browser = parts.browser;
    this.#server = parts.server;
    this.#options = parts.options;
    this.#url = parts.url;
  }

  /** Runs a command by its title in the palette, such as `Agent-Q: Ask`. */
  async command(title: string): Promise<void> {
    await this.page.keyboard.press("F1");
    const input = this.page.locator(".quick-input-widget input[type=text]").first();
    await input.waitFor();
    await input.fill(`>${title}`);
    const row = this.page.locator(".quick-input-list .monaco-list-row").filter({ hasText: title }).first();
    await row.waitFor();
    await row.click();
  }

  /** Opens a file of the project by its path, with the cursor at a line that counts from 1. */
  async open(path: string, line?: number): Promise<void> {
    await this.page.keyboard.press("Control+P");
    const input = this.page.locator(".quick-input-widget input[type=text]").first();
    await input.waitFor();
    await input.fill(path);
    await this.page
      .locator(".quick-input-list .monaco-list-row")
      .filter({ hasText: path.split("/").at(-1) ?? path })
      .first()
      .waitFor();
    await this.page.keyboard.press("Enter");
    await this.page
      .locator(`.tab[data-resource-name="${path.split("/").at(-1)}"]`)
      .first()
      .waitFor();
    if (line === undefined) return;
    await this.page.keyboard.press("Control+G");
    await input.fill(`:${line}`);
    await this.page.keyboard.press("Enter");
  }

  /** The document inside of the web view whose document has `selector`. */
  async webview(selector: string, timeoutMs = 60_000): Promise<Frame> {
    for (const end = Date.now() + timeoutMs; ;) {
      for (const frame of this.page.frames()) {
        if (
          (await frame
            .locator(selector)
            .count()
            .catch(() => 0)) > 0
        )
          return frame;
      }
      if (Date.now() > end) throw new Error(`no web view has ${selector}`);
      await pause(100);
    }
  }

  /** Keeps a picture of the whole window, where pictures are wanted. */
  async picture(name: string): Promise<void> {
    const { pictures } = this.#options;
    if (pictures === undefined) return;
    this.#pictures += 1;
    mkdirSync(pictures, { recursive: true });
    const path = join(pictures, `${String(this.#pictures).padStart(2, "0")}-${name}.png`);
    await this.page.screenshot({ path });
  }

  /** Ends the Agent-Q server of this window as a crash does. */
  killServer(): void {
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      try {
        const isServer = readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("agentq.js\0--stdio");
        if (isServer && readlinkSync(`/proc/${pid}/cwd`) === this.folder) process.kill(Number(pid), "SIGKILL");
      } catch {
        // It has ended, or is another person's.
      }
    }
  }

  async reload(): Promise<void> {
    await this.page.goto(this.#url);
    await this.#ready();
  }

  async dispose(): Promise<void> {
    await this.#browser.close();
    killWithGroup(this.#server);
    await once(this.#server, "exit");
    // Processes of the window end a little after it.
    rmSync(this.#home, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
  }

  /** The palette knows the extension's commands once its icon is there. */
  async #ready(): Promise<void> {
    await this.page.waitForSelector(".monaco-workbench .explorer-folders-view .monaco-list-row", { timeout: 120_000 });
    await this.page.locator('.activitybar [aria-label^="Agent-Q"]').first().waitFor({ timeout: 120_000 });
  }

  static async start(options: VsCodeOptions): Promise<VsCode> {
    const home = realpathSync(mkdtempSync(join(tmpdir(), "vs-")));
    const [user, extensions, folder] = ["user", "extensions", "project"].map((name) => join(home, name)) as [
      string,
      string,
      string,
    ];
    cpSync(options.project, folder, { recursive: true });
    // What names a program is set for the machine: this window is a remote one, with settings of its own.
    const { command, ...settings } = options.settings;
    const files = {
      User: { ...QUIET, ...settings },
      Machine: command === undefined ? {} : { "agentq.command": command },
    };
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(join(user, name), { recursive: true });
      writeFileSync(join(user, name, "settings.json"), JSON.stringify(content));
    }
    const places = ["--user-data-dir", user, "--extensions-dir", extensions];
    const env = {
      ...process.env,
      HOME: home,
      // Sockets of the window are made there, whose paths may not be long.
      TMPDIR: home,
      XDG_RUNTIME_DIR: "",
      XDG_CONFIG_HOME: "",
      XDG_DATA_HOME: "",
      ...options.env,
    };
    execFileSync(process.execPath, [options.program, ...places, "--install-extension", options.vsix], {
      env,
      stdio: "pipe",
    });
    const port = await freePort();
    const flags = [
      "--auth",
      "none",
      "--bind-addr",
      `127.0.0.1:${port}`,
      "--disable-telemetry",
      "--disable-update-check",
      "--disable-getting-started-override",
    ];
    const server = spawn(process.execPath, [options.program, ...places, ...flags], {
      env,
      stdio: "ignore",
      detached: true,
    });
    const url = `http://127.0.0.1:${port}/?folder=${encodeURIComponent(folder)}`;
    const browser = await chromium.launch({ executablePath: options.browser, args: ["--no-sandbox"] });
    const page = await browser.newPage({ viewport: options.size ?? { width: 1400, height: 900 } });
    page.setDefaultTimeout(60_000);
    for (const end = Date.now() + 60_000; ; await pause(200)) {
      const isUp = await fetch(url).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isUp) break;
      if (Date.now() > end) throw new Error("VS Code's server does not answer");
    }
    const started = new VsCode({ home, folder, page, browser, server, options, url });
    await started.reload();
    return started;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port is free");
  return address.port;
}
