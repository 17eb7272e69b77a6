/** The part of the composition that builds the REPL with its stages, and the test runner. */
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { agentFormTeller } from "../handlers/agent-form-teller.ts";
import type { ClientPort } from "../services.ts";
import type { ServerSetup } from "../handlers/stdio-server.ts";
import type { ImageWall, LateWall } from "../repl/confinement/image-wall.ts";
import type { CheckOptions } from "../repl/stages/checking/type-checks.ts";
import type { AskConsent } from "../repl/stages/consent/open-consent.ts";
import type { StartupScript } from "../repl/stages/history/restarts.ts";
import type { Repl } from "../repl/repl.ts";
import { CHILD_FOLDER } from "../repl/child-folder.ts";
import type { WithRoom } from "../repl/testing/walled/test-room.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { TryEditPorts } from "../tools/edit/try-edit.ts";
import type { TestRunner } from "../tools/edit/proposal-tests.ts";
import type { Approvals } from "../tools/consent/approvals.ts";
import type { TypeScriptService } from "../typescript/typescript-service.ts";
import { lazy, type Lazy } from "../base/lazy.ts";
import { projectFolders } from "../workspace/project-folders.ts";
import { existingRealPath } from "../workspace/real-path.ts";
import { readRegularText } from "../workspace/regular-file.ts";
import type { Documents, OpenDocument } from "../workspace/documents.ts";
import { isSecretName } from "../workspace/secret-names.ts";
import type { WorkspacePaths } from "../workspace/workspace-paths.ts";
import { given } from "../base/given.ts";

export interface ReplParts {
  readonly client: ClientPort;
  readonly setup: ServerSetup;
  readonly documents: Documents;
  readonly paths: WorkspacePaths;
}

export interface ComposeParts extends ReplParts {
  readonly typescript: () => Promise<TypeScriptService>;
  readonly approvals: Approvals;
  readonly sandbox: () => Promise<Sandbox>;
  readonly onChange: () => void;
  readonly wall: LateWall;
}

export interface ComposedRepl {
  /** For those who run nothing and ask for no status before they have awaited `repl`. */
  readonly early: Lazy<Repl>;
  readonly repl: Lazy<Repl>;
}

/** The wall is tried out late: the first answers, which need none, do not wait for that. */
export function composeRepl(parts: Omit<ComposeParts, "wall">): ComposedRepl {
  const wall = imageWall(parts);
  const early = lazy(() => loadRepl({ ...parts, wall }));
  const repl = lazy(async () => {
    const [loaded] = await Promise.all([early(), wall.find()]);
    return loaded;
  });
  return { early, repl };
}

async function loadRepl(parts: ComposeParts): Promise<Repl> {
  const { client, setup, documents, onChange, wall } = parts;
  const { Repl } = await import("../repl/repl.ts");
  const { createImage } = await import("../repl/process/image-process.ts");
  const { toldStates } = await import("../repl/evaluation/told-states.ts");
  const { LateOutput } = await import("../repl/evaluation/late-output.ts");
  const { confinement = "confined" } = setup.settings.repl;
  const late = new LateOutput();
  const textOf = textReader(documents);
  const log = (message: string): void => client.log("log", message);
  return new Repl({
    createImage: (own) =>
      createImage({
        ...own,
        ...imageGround(parts, wall),
        readSource: textOf,
        onOutput: (output) => {
          client.notify("agentq/replOutput", output);
          late.add(output);
        },
      }),
    consent: {
      wanted: confinement === "confined" ? "confined" : "open",
      isWalled: () => wall.known()?.kind === "walled" && setup.settings.repl.command === undefined,
      untilKnown: () => wall.find(),
      isGiven: confinement === "openWithoutAsking",
      ask: askConsent(parts),
    },
    restarts: {
      ...given({ startup: await startupOf(setup) }),
      onStartupFailed: (text) => {
        client.log("warning", text);
        client.notify("agentq/replOutput", { stream: "stderr", text: `${text}\n` });
      },
    },
    memory: { onAgentForm: agentFormTeller(client), takeLateOutput: () => late.take() },
    checks: typeChecks(parts, textOf),
    changes: {
      folders: () => parts.paths.folders(),
      wasSaved: (path, text, since) => documents.wasSaved(pathToFileURL(path).href, text, since),
      onChanges: (event) => client.notify("agentq/evaluationChanges", event),
      log,
    },
    onState: toldStates((state) => {
      client.notify("agentq/replState", state);
      if (state.state !== "busy" && state.state !== "idle") onChange();
    }),
    showLong: client.showLong,
  });
}

export function typeChecks(
  { client, setup, typescript }: Pick<ComposeParts, "client" | "setup" | "typescript">,
  textOf: TextReader,
): CheckOptions {
  const projectRoot = rootOf(setup);
  return {
    projectRoot: existingRealPath(projectRoot) ?? projectRoot,
    check: async (text, signal) => {
      const { checkForm } = await import("../typescript/check-form.ts");
      return checkForm(await typescript(), text, signal);
    },
    onLateNotes: (evalId, notes) => client.notify("agentq/lateNotes", { evalId, notes }),
    readModule: async (path) => textOf(path) ?? (await readRegularText(path, { lossy: true }).catch(() => undefined)),
    log: (message) => client.log("log", message),
  };
}

/** Not looked for where no wall is wanted. */
function imageWall({ setup, sandbox }: Pick<ComposeParts, "setup" | "sandbox">): LateWall {
  const { confinement = "confined", command } = setup.settings.repl;
  let known: ImageWall | undefined;
  if (confinement !== "confined") known = none(`The setting repl.confinement is "${confinement}".`);
  else if (command !== undefined) known = none("The setting repl.command starts the REPL elsewhere.");
  const look = async (): Promise<ImageWall> => {
    const walls = await sandbox();
    const found = await walls.wall();
    return found.kind === "none" ? found : { kind: "walled", raise: (...program) => walls.live(...program) };
  };
  return { known: () => known, find: async () => (known ??= await look()) };
}

function none(reason: string): ImageWall {
  return { kind: "none", reason };
}

/** What the image of the REPL has in common with those of trials. */
function imageGround({ client, setup, paths }: Pick<ReplParts, "client" | "setup" | "paths">, wall: LateWall) {
  const { network = "none", heapLimitMb } = setup.settings.repl;
  return {
    projectRoot: rootOf(setup),
    log: (message: string) => client.log("log", message),
    wall,
    network,
    ...given({ heapLimitMb }),
    isSecretName,
    mayQuote: (path: string) => paths.mayShow(path),
    ...placeOf(setup),
  };
}

export type TextReader = (path: string) => string | undefined;

/** The text of open documents, by path. */
export function textReader(documents: Documents): TextReader {
  return (path) => documents.get(pathToFileURL(path).href)?.text;
}

/** An editor of ours shows the question as it shows approvals; any other has LSP's own way to ask. */
export function askConsent({ client, approvals }: Pick<ComposeParts, "client" | "approvals">): AskConsent {
  return async ({ tool, text, why, risk, yes, no }, signal) => {
    if (!approvals.canAsk()) {
      // The harmless answer first: some editors take the first one for what Enter means.
      const choice = await client.choose(`${text} ${why} ${risk}`, [no, yes], signal);
      if (choice === yes) return { kind: "yes" };
      if (choice !== undefined) return { kind: "no" };
      return { kind: "nobody", reason: "this editor cannot ask, or nobody answered" };
    }
    const answers = { approved: yes, denied: no };
    const decision = await approvals.put({ tool, arguments: {}, why, risk, question: text, answers }, signal);
    if (decision?.decision === "approved") return { kind: "yes" };
    return { kind: "no", ...given({ message: decision?.message }) };
  };
}

/** The runners are loaded with the first run. `rooms` are copies of the project behind the wall, or why there are none. */
export function composeTestRunner(
  { client, documents, setup }: ReplParts,
  repl: Pick<Repl, "whyNotTest">,
  rooms: () => Promise<WithRoom | string>,
): TestRunner {
  const sources = {
    projectRoot: rootOf(setup),
    readSource: textReader(documents),
    openTexts: () => Object.fromEntries(openFiles(documents).map(({ uri, text }) => [fileURLToPath(uri), text])),
    log: (message: string) => client.log("log", message),
  };
  return {
    run: async (request, signal) => {
      const { runTests } = await import("../repl/testing/run-tests.ts");
      const withRoom = await rooms();
      if (typeof withRoom !== "string") return runTests(sources, { withRoom }, request, signal);
      const refusal = await repl.whyNotTest(withRoom, signal);
      return refusal ?? runTests(sources, { whyNotWalled: withRoom }, request, signal);
    },
    testFilesAmong: async (files, texts) => {
      const { laidOver, sourceText } = await import("../repl/testing/laid-texts.ts");
      const { testFilesAmong } = await import("../repl/testing/test-files.ts");
      const { readSource } = laidOver(sources, texts);
      const withRoom = await rooms();
      const project = {
        root: existingRealPath(sources.projectRoot) ?? sources.projectRoot,
        readText: (path: string) => sourceText(readSource, path),
        whyNotWalled: typeof withRoom === "string" ? withRoom : undefined,
      };
      return testFilesAmong(project, files);
    },
    isConfined: async () => typeof (await rooms()) !== "string",
  };
}

/** One form in a process of its own, with texts that are in no file. */
export function composeTrial(
  parts: ReplParts & Pick<ComposeParts, "sandbox">,
  repl: Pick<Repl, "admit">,
): TryEditPorts["evaluateWith"] {
  return async (texts, form, signal) => {
    const admitted = await repl.admit(signal);
    if ("refusal" in admitted) return admitted.refusal;
    const [{ createImage }, { laidOver }, { withFilesOnDisk }] = await Promise.all([
      import("../repl/process/image-process.ts"),
      import("../repl/testing/laid-texts.ts"),
      import("../repl/forms/named-files.ts"),
    ]);
    const { readSource } = laidOver({ readSource: textReader(parts.documents), openTexts: () => ({}) }, texts);
    const image = createImage({
      ...imageGround(parts, imageWall(parts)),
      readSource,
      onOutput: () => undefined,
      onState: () => undefined,
      confinement: admitted.confinement,
    });
    try {
      const code = withFilesOnDisk(form.code, form.module, rootOf(parts.setup));
      return await image.evaluate({ ...form, code, by: "agent" }, signal);
    } finally {
      await image.dispose();
    }
  };
}

function openFiles(documents: Documents): OpenDocument[] {
  return documents.all().filter(({ uri }) => uri.startsWith("file:"));
}

/**
 * Where no folder is open, a folder of our own is the project: anybody could put modules into the folder of temporary
 * files.
 */
function rootOf({ workspaceFolders }: ServerSetup): string {
  return workspaceFolders[0] ?? projectFolders([process.cwd()]).kept[0] ?? resolve(CHILD_FOLDER);
}

/** `command` runs a program where the REPL shall live, `node` is the Node there. */
function placeOf({ settings }: ServerSetup): { command?: readonly [string, ...string[]]; nodePath?: string } {
  const { command = [], node } = settings.repl;
  const [program, ...args] = command;
  return {
    ...(program === undefined ? {} : { command: [program, ...args] }),
    ...given({ nodePath: node }),
  };
}

/** The script that the editor's user names; a repository has no say in the choice. */
async function startupOf(setup: ServerSetup): Promise<StartupScript | undefined> {
  const { startup = "" } = setup.settings.repl;
  if (startup === "") return undefined;
  const { startupScript } = await import("../repl/stages/history/startup-script.ts");
  return startupScript(startup, rootOf(setup));
}
