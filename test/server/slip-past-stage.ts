/** A project, what stands beside it, a real server with a played model, and a client that may lie: the ground of `slip-past.test.ts`. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { DecideResult, Proposal } from "../../server/src/protocol/proposal-shapes.ts";
import type { Page } from "../../server/src/protocol/shapes.ts";
import type { AuditEntry, ToolResult } from "../../server/src/protocol/tool-shapes.ts";
import { callAsAgent, startCallingModel } from "../support/agent-calls.ts";
import { ServerClient } from "../support/server-client.ts";

export const GUARDED = "src/generated";

/** How the person has set up the server. */
export const MODES = {
  confined: { initializationOptions: {} },
  open: { initializationOptions: { repl: { confinement: "openWithoutAsking" } } },
  ruled: { initializationOptions: { policy: { deny: [`edit(${GUARDED}/**)`] } } },
  /** An editor that shows proposals and no approvals. */
  mute: {
    initializationOptions: { repl: { confinement: "openWithoutAsking" } },
    agentq: { version: 1, proposals: true },
  },
} as const;

export type Mode = keyof typeof MODES;

/** Whatever an attempt writes says this, and whatever it must not read says CANARY. */
export const PWNED = "PWNED";

const SECRET_CODE = `/** CANARY_doc */
export const KEY = "CANARY_ts" as const;
export class Vault {
  key = "CANARY_member";
  open(code = "CANARY_default"): typeof KEY {
    return KEY;
  }
}
export class Safe extends Vault {}
export const opened = new Safe().open("CANARY_argument");
export const wrong: number = "CANARY_diagnostic";
`;

const PROJECT: Readonly<Record<string, string>> = {
  "package.json": '{ "name": "victim", "type": "module" }\n',
  "tsconfig.json": '{ "compilerOptions": { "strict": true, "module": "nodenext", "types": [] }, "include": ["src"] }\n',
  "src/a.ts": "export const a = 1;\nexport const twice = a * 2;\n",
  "src/b.ts": 'import { a } from "./a.ts";\nimport { made } from "./generated/made.ts";\nexport const b = a + made;\n',
  "src/dir/c.ts": "export const c = 3;\n",
  [`${GUARDED}/made.ts`]: "export const made = 4;\n",
  "test/stack.test.ts":
    'import { it } from "node:test";\nit("throws", () => {\n  const error = new Error("thrown");\n  error.stack = `Error: thrown\\n    at f (${process.cwd()}/.env:1:1)\\n`;\n  throw error;\n});\n',
  ".env": "KEY=CANARY_env\n",
  "src/.env.ts": SECRET_CODE,
  ".git/config": "[core] CANARY_git\n",
};
const BESIDE: Readonly<Record<string, string>> = {
  "outside/victim.txt": "CANARY_victim\n",
  "outside/secrets.ts": SECRET_CODE,
  "outside/a.ts": PROJECT["src/a.ts"] ?? "",
};
const LINKS: Readonly<Record<string, string>> = {
  "src/out": "../../outside",
  "victim.txt": "../outside/victim.txt",
  "hanging.txt": "../outside/not-yet.txt",
  "chain.txt": "hanging.txt",
  "notes.txt": ".env",
  "src/alias": "generated",
};

/** An attempt that is refused at once proposes nothing, and whoever waits for a proposal is told soon. */
const LIMIT_MS = 60_000;

const CALLS_OF_A_CONVERSATION = 20;

export class Stage {
  readonly client: ServerClient;
  readonly root: string;
  readonly folder: string;
  readonly #model: Awaited<ReturnType<typeof startCallingModel>>;
  readonly #idle: { readonly at: { sessionId?: string }; calls: number }[] = [];
  #heard = 0;

  private constructor(root: string, client: ServerClient, model: Awaited<ReturnType<typeof startCallingModel>>) {
    this.root = root;
    this.folder = path.join(root, "project");
    this.client = client;
    this.#model = model;
  }

  static async open(mode: Mode): Promise<Stage> {
    const root = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-slip-")));
    const model = await startCallingModel();
    const env = {
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: "sk-test",
      XDG_STATE_HOME: path.join(root, "state"),
    };
    const stage = new Stage(root, new ServerClient({ env }), model);
    stage.restore();
    await stage.client.initialize([stage.folder], MODES[mode]);
    return stage;
  }

  async close(): Promise<void> {
    await this.client.close();
    await this.#model[Symbol.asyncDispose]();
    rmSync(this.root, { recursive: true, force: true });
  }

  /** Everything as it was before any attempt. */
  restore(): void {
    this.#heard = this.client.received.length;
    const wanted = { ...inFolder("project", PROJECT), ...BESIDE };
    const links = inFolder("project", LINKS);
    for (const { at, isFolder, isFile } of entriesBelow(this.root).toReversed()) {
      const isKept = isFolder ? Object.keys(wanted).some((file) => file.startsWith(`${at}/`)) : isFile && at in wanted;
      if (!isKept && !at.startsWith("state")) rmSync(path.join(this.root, at), { recursive: true, force: true });
    }
    for (const [file, text] of Object.entries(wanted)) {
      const place = path.join(this.root, file);
      if (existsSync(place) && lstatSync(place).isFile() && readFileSync(place, "utf8") === text) continue;
      mkdirSync(path.dirname(place), { recursive: true });
      writeFileSync(place, text);
    }
    for (const [link, target] of Object.entries(links)) symlinkSync(target, path.join(this.root, link));
  }

  at(file: string): string {
    return path.join(this.folder, file);
  }

  outside(file: string): string {
    return path.join(this.root, "outside", file);
  }

  text(file: string): string {
    return readFileSync(this.at(file), "utf8");
  }

  /** The files that hold what only an attempt writes, or that stood outside and are not as they were. */
  harm(): string[] {
    const files = entriesBelow(this.root).filter(({ at, isFile }) => isFile && !at.startsWith("state"));
    const written = files.filter(({ at }) => readFileSync(path.join(this.root, at), "utf8").includes(PWNED));
    const changed = Object.entries(BESIDE).filter(([file, text]) => {
      const place = path.join(this.root, file);
      return !existsSync(place) || !readFileSync(place, "utf8").includes(text);
    });
    return [...written.map(({ at }) => at), ...changed.map(([file]) => `${file} (changed)`)];
  }

  /** What the model reads as the answer to its call. */
  async agent(name: string, args: object): Promise<string> {
    // A conversation begins with a look at the project, which costs more than the attempt.
    const conversation = this.#idle.pop() ?? { at: {}, calls: 0 };
    const answer = answerOf(await callAsAgent(this.client, name, args, conversation.at));
    const isShort = JSON.stringify(args).length < 10_000;
    if (isShort && conversation.calls++ < CALLS_OF_A_CONVERSATION) this.#idle.push(conversation);
    return answer;
  }

  /** The agent proposes these edits; the answer comes when the review is over. */
  async proposes(
    ...edits: readonly object[]
  ): Promise<{ readonly answer: Promise<string>; readonly proposal: Proposal }> {
    const answer = this.agent("propose_edits", { description: "Because.", edits });
    return { answer, proposal: await this.nextProposal() };
  }

  async nextProposal(): Promise<Proposal> {
    return this.client.waitFor((note) => {
      const isNew = note.method === "agentq/proposal" && this.client.received.indexOf(note) >= this.#heard;
      if (!isNew) return undefined;
      this.#heard = this.client.received.indexOf(note) + 1;
      return note.params;
    }, LIMIT_MS);
  }

  decide({ proposalId, hunks }: Proposal, decision: "accept" | "reject" = "accept"): Promise<DecideResult> {
    return this.client.request("agentq/decide", { proposalId, hunks: hunks.map(({ id }) => ({ id, decision })) });
  }

  /** Rejects what still waits, so that the review ends. */
  async rejectRest({ proposalId }: Proposal): Promise<void> {
    const now = await this.client.request("agentq/openProposal", { proposalId });
    const hunks = now.hunks.filter(({ state }) => state === "pending" || state === "conflict");
    if (hunks.length > 0) await this.decide({ ...now, hunks }, "reject");
  }

  /** A request as a lying client would send it, whatever its types; answers what comes back in words. */
  async says(method: string, params: object): Promise<string> {
    const send = this.client.connection.sendRequest(method, params);
    return send.then(
      (result) => JSON.stringify(result),
      (error: unknown) => `REFUSED ${String(error)}`,
    );
  }

  async approvalAfter(count: number): Promise<{ readonly approvalId: string }> {
    return this.client.waitFor(() => this.approvals()[count]);
  }

  approvals(): readonly { readonly approvalId: string }[] {
    return this.client.received.flatMap((note) => (note.method === "agentq/approval" ? [note.params] : []));
  }

  async auditLength(): Promise<number> {
    return (await this.client.request("agentq/auditLog", { cursor: "999999999" })).total;
  }

  /** The audit log from its so manieth entry on, as one reads it. */
  async auditLines(from: number): Promise<string[]> {
    const lines: string[] = [];
    for (let cursor: string | undefined = String(from); cursor !== undefined;) {
      const page: Page<AuditEntry> = await this.client.request("agentq/auditLog", { cursor });
      lines.push(...page.items.map(lineOf));
      cursor = page.nextCursor;
    }
    return lines;
  }
}

export function answerOf({ content, error }: ToolResult): string {
  return [content, ...(error === undefined ? [] : [`ERROR ${error}`])].join("\n").trim();
}

function lineOf({ tool, caller, outcome, decision, detail, hunks = [] }: AuditEntry): string {
  const reviewed = hunks.map(({ title, state, applied, why = "" }) => {
    return `[${title}: ${state}${applied ? " and applied" : ""}${why === "" ? "" : `, ${why}`}]`;
  });
  return [caller, tool, outcome, decision, detail, ...reviewed].filter((part) => part !== undefined).join(" ");
}

function inFolder(folder: string, files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([file, text]) => [`${folder}/${file}`, text]));
}

interface Entry {
  /** From the root on. */
  readonly at: string;
  readonly isFolder: boolean;
  readonly isFile: boolean;
}

/** Links are listed and never followed (`readdirSync` follows links when it walks into folders by itself): some lead round in a circle. */
function entriesBelow(root: string, at = ""): Entry[] {
  return readdirSync(path.join(root, at), { withFileTypes: true }).flatMap((entry) => {
    const below = path.join(at, entry.name);
    const isFolder = entry.isDirectory();
    return [{ at: below, isFolder, isFile: entry.isFile() }, ...(isFolder ? entriesBelow(root, below) : [])];
  });
}
