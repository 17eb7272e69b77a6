/** `run_command`: a program of the person's machine in a wall, whose changes are reviewed like any other edit. */
import { resolve } from "node:path";
import { given } from "../../base/given.ts";
import { describeOutcome } from "../../proposals/describe-outcome.ts";
import { hostAndPort, isListed } from "../../sandbox/network/hosts.ts";
import { runCommand, type CommandRequest, type CommandRun } from "../../sandbox/runs/command-run.ts";
import type { LayerRunEnd, Sandbox } from "../../sandbox/sandbox.ts";
import { existingRealPath } from "../../workspace/real-path.ts";
import { inOneLine } from "../answers/quoted-text.ts";
import { propose, type EditPorts } from "../edit/define-edit.ts";
import { defineTool, ToolFailure, type ApprovalNeed, type Tool, type ToolAnswer, type ToolContext } from "../tool.ts";
import type { PlaceInside } from "../../workspace/workspace-paths.ts";
import { askBackground, startInBackground, type BackgroundPorts } from "./background-command.ts";
import { reviewableChanges, type ChangePorts, type ReviewableChanges } from "./command-changes.ts";
import { endWords, printedLines } from "./command-words.ts";
import { DroppedPaths } from "./dropped.ts";
import { closedInOutput, keptOutput, stillThere } from "./kept-output.ts";
import { maskedNames } from "./masked-names.ts";
import { runInProject, UNWALLED_DESCRIPTION, unwalledNeed, type UnwalledPorts } from "./unwalled-command.ts";
import { isFolder } from "../../workspace/file-names.ts";
import { plural } from "../../base/plural.ts";

/** What the tool needs. */
export interface CommandPorts
  extends Pick<ChangePorts, "ignored" | "placeOf">, Omit<UnwalledPorts, "resolvePath">, BackgroundPorts {
  readonly edits: EditPorts;
  readonly sandbox: Sandbox;
  /** What open documents hold that the disk does not, by their absolute real path. */
  readonly unsaved: () => Promise<ReadonlyMap<string, string>>;
  /** Hosts about which the person's settings say that nobody need ask. */
  readonly listedHosts: readonly string[];
}

const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_TIMEOUT_MS = 1_800_000;
const SHOWN_COMMAND = 60;

export function createRunCommand(ports: CommandPorts): Tool {
  return defineTool({
    name: "run_command",
    description: () =>
      whyNot(ports) !== undefined
        ? UNWALLED_DESCRIPTION
        : "Runs a shell command on a copy of the project with unsaved text: formatters, builds, other test runners, git log. " +
          "What it changes becomes a proposal; what git ignores is dropped.",
    input: {
      type: "object",
      properties: {
        command: { type: "string", minLength: 1, maxLength: 20_000, description: "A line for sh." },
        cwd: { type: "string", minLength: 1, description: "A folder of the workspace; default: the workspace folder." },
        background: {
          type: ["string", "boolean"],
          maxLength: 100,
          description:
            '"start" for servers and watchers, which may write to ignored folders alone. Then its id reads on, "stop ID" ends it.',
        },
        hosts: {
          type: "array",
          items: { type: "string", maxLength: 300 },
          maxItems: 20,
          description: "Hosts that the command needs, such as example.com. The person is asked.",
        },
        timeout_ms: {
          type: "integer",
          minimum: 1,
          maximum: MAX_TIMEOUT_MS,
          description: `Stops the command, and all it started, after this many milliseconds (default ${DEFAULT_TIMEOUT_MS}).`,
        },
        keep: {
          type: "array",
          items: { type: "string", minLength: 1 },
          maxItems: 20,
          description: "Folders or files that are dropped otherwise, such as node_modules: each is proposed as it is.",
        },
        continue: {
          type: "string",
          minLength: 1,
          description: "The id of an earlier run, whose dropped output is still there.",
        },
      },
      additionalProperties: false,
    },
    told: {
      command: { type: "string" },
      cwd: { type: "string" },
      background: { type: "string", description: '"start", or what an answer says.' },
      hosts: { type: "array", items: { type: "string" } },
      timeout_ms: { type: "integer" },
      // The answer that drops something says how these are given.
      keep: null,
      continue: null,
    },
    safety: () => (whyNot(ports) === undefined ? "cautious" : "dangerous"),
    needsApproval: async ({ hosts = [] }) => unwalledNeed(whyNot(ports)) ?? hostsToAsk(hosts, ports.listedHosts),
    categories: ["execution", "edit"],
    saysItsEnd: () => whyNot(ports) !== undefined,
    // The review at the end takes as long as the person likes; the command has its own limit.
    timeoutMs: null,
    run: async ({ command, cwd, hosts = [], timeout_ms: timeoutMs = DEFAULT_TIMEOUT_MS, ...more }, context) => {
      const { signal } = context;
      const background = backgroundWords(more.background);
      if (background !== undefined && background !== "start") {
        return askBackground(ports, background, signal);
      }
      if (command === undefined) throw new ToolFailure("NOT RUN: no command is given.");
      const folder = folderNamed(ports, cwd);
      const isWalled = whyNot(ports) === undefined;
      if (background === "start") {
        if (!isWalled) throw new ToolFailure("NOT RUN: without a wall no command runs in the background.");
        return startInBackground(ports, { command, folder, hosts }, signal);
      }
      const ground = { folder, hosts, unsaved: await ports.unsaved() };
      const request = { command, timeoutMs, ...ground, ...given({ continues: more.continue }) };
      if (!isWalled) return runInProject({ ...ports, resolvePath: ports.edits.resolvePath }, request, signal);
      const asked = (more.keep ?? []).map((path) => placeNamed(ports, path));
      return runCommand(ports.sandbox, request, signal, (run) => answer(ports, { request, run, asked }, context));
    },
  });
}

function whyNot({ sandbox }: CommandPorts): string | undefined {
  return sandbox.whyNot();
}

/** `true` starts, as with other agents; `false` and nothing are a command that is waited for. */
function backgroundWords(asked: string | boolean | undefined): string | undefined {
  const words = String(asked ?? "").trim();
  if (/^(?:false)?$/i.test(words)) return undefined;
  return /^true$/i.test(words) ? "start" : words;
}

/** Whoever reaches a host can send the project there. */
function hostsToAsk(hosts: readonly string[], listed: readonly string[]): ApprovalNeed {
  const wrong = hosts.find((host) => host.includes("*") || hostAndPort(host) === undefined);
  if (wrong !== undefined)
    return { refused: `${inOneLine(wrong)} is no host: name it as example.com or example.com:8080.` };
  const unknown = hosts.filter((host) => !isListed(listed, host));
  if (unknown.length === 0) return { ask: false };
  return { ask: true, because: `it could send anything of the project to ${unknown.join(", ")}` };
}

function folderNamed({ edits, folders }: CommandPorts, cwd: string | undefined): string {
  const [first] = folders();
  if (first === undefined) throw new ToolFailure("NOT RUN: no workspace folder is open.");
  if (cwd === undefined) return first;
  const resolution = edits.resolvePath(cwd);
  if (!resolution.ok) throw new ToolFailure(`NOT RUN: ${resolution.reason}`);
  const { absolute, relative } = resolution.path;
  if (!isFolder(absolute)) throw new ToolFailure(`NOT RUN: ${relative} is no folder.`);
  return existingRealPath(absolute) ?? absolute;
}

function placeNamed({ folders, placeOf }: CommandPorts, named: string): PlaceInside {
  const place = placeOf(resolve(folders()[0] ?? "/", named));
  if (typeof place === "string") throw new ToolFailure(`NOT RUN: keep ${named}: ${place}`);
  return place;
}

interface Ran {
  readonly request: CommandRequest;
  readonly run: CommandRun;
  /** What is to move in as it is. */
  readonly asked: readonly PlaceInside[];
}

async function answer(ports: CommandPorts, ran: Ran, context: ToolContext): Promise<ToolAnswer> {
  const { request, run } = ran;
  const { end, output } = run;
  if (end.kind === "refused") throw new ToolFailure(`NOT RUN: ${end.reason}`);
  const { signal } = context;
  const changes = await reviewableChanges(run, request.unsaved, { ...ports, ...ports.edits }, signal);
  const kept = await Promise.all(ran.asked.map((place) => keptOutput(place, run, signal)));
  const documents = [...changes.documents, ...kept.filter((each) => typeof each !== "string")];
  const masked = maskedNames(output.text, [request.folder, ...ports.folders()]);
  const printed = printedLines(output);
  const lines = [endLine(end, ran), ...masked, ...printed.lines, ...advice(output.text, run.denials)];
  if (documents.length === 0) lines.push("Nothing of the project changed.");
  else lines.push(...(await review(ports, { request, documents }, context)));
  for (const why of kept) if (typeof why === "string") lines.push(`Not kept: ${why}`);
  lines.push(...(await droppedLines(ports, changes, ran)));
  const isWhole = printed.isWhole && !run.timedOut;
  return {
    content: lines.join("\n"),
    ...(isWhole ? {} : { complete: false, notes: ["Not all of the output is shown."] }),
  };
}

/** Said after the review: what moved in is in the layer no more. */
async function droppedLines(
  { show }: CommandPorts,
  { dropped, output }: Pick<ReviewableChanges, "dropped" | "output">,
  { run, asked }: Ran,
): Promise<string[]> {
  const left = asked.length === 0 ? output : await stillThere(output, run);
  const id = left.size === 0 ? undefined : await run.keep([...left.keys()]);
  const rest = new DroppedPaths();
  rest.addAll(left, show);
  const lines = [...dropped, ...rest.lines()].map((line) => `  ${line}`);
  if (lines.length === 0) return [];
  const first = [...left.keys()].map(show).find((path) => closedInOutput(path.split("/")) === undefined);
  const keep = first === undefined ? "" : `, with keep: [${JSON.stringify(first)}] too proposes it as it is`;
  const how = `run_command with continue: "${id}" goes on with that output there${keep}.`;
  return ["Dropped, not in the project:", ...lines, ...(id === undefined ? [] : [how])];
}

async function review(
  { edits }: CommandPorts,
  {
    request,
    documents,
  }: { request: CommandRequest; documents: Awaited<ReturnType<typeof reviewableChanges>>["documents"] },
  context: ToolContext,
): Promise<string[]> {
  const count = plural(documents.length, "file");
  const none = edits.unavailable();
  if (none !== undefined) return [`${count} changed, and nothing of it is in the project: ${none}`];
  const line = inOneLine(request.command);
  const command = line.length > SHOWN_COMMAND ? `${line.slice(0, SHOWN_COMMAND)}…` : line;
  const title = `Changes by the command: ${command}`;
  const why = `The command ran on a copy of the project and left ${count} changed.`;
  const { outcome, checked } = await propose(edits, context, { title, why, documents });
  edits.seen.noteReview(context.sessionId, documents, outcome);
  return [describeOutcome(outcome, { countApplied: true }), ...checked];
}

function endLine(end: Extract<LayerRunEnd, { kind: "ended" }>, { run, request }: Ran): string {
  if (end.isDiskFull === true && !run.timedOut) {
    return "Stopped, with everything it started: the disk for temporary files got full.";
  }
  const { durationMs, timedOut } = run;
  return endWords({ code: end.code, durationMs, stoppedAfterMs: timedOut ? request.timeoutMs : undefined });
}

const NO_NETWORK =
  /\b(?:ENOTFOUND|EAI_AGAIN|ENETUNREACH)\b|[Cc]ould not resolve host|Temporary failure in name resolution/;

/** What a program says in whose view something is missing. */
function advice(output: string, denials: readonly string[]): string[] {
  const lines = denials.map((denial) => `Not reached: ${denial}.`);
  if (denials.length === 0 && NO_NETWORK.test(output)) {
    lines.push("A command reaches only the `hosts` that it names, by HTTP and HTTPS.");
  }
  if (/\bEROFS\b|[Rr]ead-only file system/.test(output)) {
    lines.push(
      "Only the workspace folders, /tmp and the home folder, which begins empty, can be written to; .git cannot.",
    );
  }
  return lines;
}
