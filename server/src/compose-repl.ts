/** The part of the composition that is the REPL: the image with what stands before it, and the test runner. */
import { fileURLToPath, pathToFileURL } from "node:url";
import { agentFormTeller } from "./handlers/agent-form-teller.ts";
import type { ClientPort } from "./handlers/services.ts";
import type { ServerSetup } from "./handlers/stdio-server.ts";
import type { ReplStatus } from "./protocol/repl-shapes.ts";
import type { WatchedImage } from "./repl/stages/changes/watched-image.ts";
import type { Checking } from "./repl/stages/checking/checking-image.ts";
import type { Admitting } from "./repl/stages/consent/consenting-image.ts";
import type { Lockable } from "./repl/stages/consent/lockable-image.ts";
import type { AskConsent } from "./repl/stages/consent/open-consent.ts";
import type { Remembering, StartupScript } from "./repl/stages/history/remembering-image.ts";
import type { ToolPorts } from "./tools/all-tools.ts";
import type { Approvals } from "./tools/approvals.ts";
import type { TypeScriptService } from "./typescript/typescript-service.ts";
import { existingRealPath } from "./workspace/real-path.ts";
import { readRegularText } from "./workspace/regular-file.ts";
import type { Documents, OpenDocument } from "./workspace/documents.ts";
import { isSecretName, type WorkspacePaths } from "./workspace/workspace-paths.ts";
import { given } from "./given.ts";

export interface ReplParts {
  readonly client: ClientPort;
  readonly setup: ServerSetup;
  readonly documents: Documents;
}

interface ImageParts extends ReplParts {
  readonly paths: WorkspacePaths;
  readonly typescript: () => Promise<TypeScriptService>;
  readonly approvals: Approvals;
  readonly onChange: () => void;
}

export type ComposedImage = Lockable<Remembering<Checking<WatchedImage>>>;

export async function composeImage(parts: ImageParts): Promise<ComposedImage> {
  const { client, setup, documents, paths, typescript, onChange } = parts;
  const { createImage } = await import("./repl/process/image-process.ts");
  const { toldStates } = await import("./repl/evaluation/told-states.ts");
  const { watchImage } = await import("./repl/stages/changes/watched-image.ts");
  const { checkEvaluations } = await import("./repl/stages/checking/checking-image.ts");
  const { rememberEvaluations } = await import("./repl/stages/history/remembering-image.ts");
  const { consentFirst, openMode } = await import("./repl/stages/consent/consenting-image.ts");
  const { createReplLock, lockable } = await import("./repl/stages/consent/lockable-image.ts");
  const { createLateOutput } = await import("./repl/evaluation/late-output.ts");
  const { createOpenConsent } = await import("./repl/stages/consent/open-consent.ts");
  const { confinement = "confined", network = "none", heapLimitMb } = setup.settings.repl;
  const consent = createOpenConsent({
    isGiven: confinement === "openWithoutAsking",
    ask: askConsent(parts),
    onState: () => showState(image.status()),
  });
  const mode = openMode(confinement === "confined" ? "confined" : "open", consent);
  const lock = createReplLock();
  const tellState = toldStates((state) => {
    client.notify("agentq/replState", state);
    if (state.state !== "busy" && state.state !== "idle") onChange();
  });
  const showState = (state: ReplStatus): void => tellState(lock.seen(mode.seen(state)));
  const projectRoot = rootOf(setup);
  const textOf = (path: string): string | undefined => documents.get(pathToFileURL(path).href)?.text;
  const log = (message: string): void => client.log("log", message);
  const late = createLateOutput();
  const image = createImage({
    projectRoot,
    readSource: textOf,
    onOutput: (output) => {
      client.notify("agentq/replOutput", output);
      late.add(output);
    },
    onState: showState,
    log,
    confinement: mode.confinement,
    whyNotStart: mode.whyNotStart,
    network,
    ...given({ heapLimitMb }),
    isSecretName,
    ...placeOf(setup),
  });
  const watched = watchImage(image, {
    folders: () => paths.folders(),
    wasSaved: (path, text, since) => documents.wasSaved(pathToFileURL(path).href, text, since),
    onChanges: (event) => client.notify("agentq/evaluationChanges", event),
    log,
  });
  const checked = checkEvaluations(watched, {
    projectRoot: existingRealPath(projectRoot) ?? projectRoot,
    check: async (text, signal) => {
      const { checkForm } = await import("./typescript/check-form.ts");
      return checkForm(await typescript(), text, signal);
    },
    onLateNotes: (evalId, notes) => client.notify("agentq/lateNotes", { evalId, notes }),
    readModule: async (path) => textOf(path) ?? (await readRegularText(path, { lossy: true }).catch(() => undefined)),
    log,
  });
  const startup = await startupOf(setup);
  const remembering = rememberEvaluations(checked, {
    ...given({ startup }),
    onAgentForm: agentFormTeller(client),
    takeLateOutput: late.take,
    onStartupFailed: (text) => {
      client.log("warning", text);
      client.notify("agentq/replOutput", { stream: "stderr", text: `${text}\n` });
    },
  });
  return lockable(consentFirst(remembering, mode, consent), lock, showState);
}

/** An editor of ours shows the question as it shows approvals; any other has LSP's own way to ask. */
function askConsent({ client, approvals }: ImageParts): AskConsent {
  return async ({ text, why, risk, yes, no }, signal) => {
    if (!approvals.canAsk()) {
      // The harmless answer first: some editors take the first one for what Enter means.
      const choice = await client.choose(`${text} ${why} ${risk}`, [no, yes], signal);
      if (choice === yes) return { kind: "yes" };
      if (choice !== undefined) return { kind: "no" };
      return { kind: "nobody", reason: "this editor cannot ask, or nobody answered" };
    }
    const answers = { approved: yes, denied: no };
    const decision = await approvals.put(
      { tool: "open_repl", arguments: {}, why, risk, question: text, answers },
      signal,
    );
    if (decision?.decision === "approved") return { kind: "yes" };
    return { kind: "no", ...given({ message: decision?.message }) };
  };
}

/** The runners are loaded with the first run. */
export function composeTestRunner(
  { client, documents, setup }: ReplParts,
  admit: Admitting["admit"],
): ToolPorts["runTests"] {
  return async (request, signal) => {
    // Tests run in the server's own Node, which may be another one than the image's.
    const admitted = await admit(signal, undefined, process.version);
    if ("refusal" in admitted) return admitted.refusal;
    const { runTests } = await import("./repl/testing/run-tests.ts");
    const options = {
      projectRoot: rootOf(setup),
      confinement: admitted.confinement,
      network: setup.settings.repl.network ?? "none",
      isSecretName,
      readSource: (path: string) => documents.get(pathToFileURL(path).href)?.text,
      openTexts: () => Object.fromEntries(openFiles(documents).map(({ uri, text }) => [fileURLToPath(uri), text])),
      log: (message: string) => client.log("log", message),
    };
    return runTests(options, request, signal);
  };
}

function openFiles(documents: Documents): OpenDocument[] {
  return documents.all().filter(({ uri }) => uri.startsWith("file:"));
}

function rootOf({ workspaceFolders }: ServerSetup): string {
  return workspaceFolders[0] ?? process.cwd();
}

/** `command` runs a program where the image shall live, `node` is the Node there. */
function placeOf({ settings }: ServerSetup): { command?: readonly [string, ...string[]]; nodePath?: string } {
  const { command = [], node } = settings.repl;
  const [program, ...args] = command;
  return {
    ...(program === undefined ? {} : { command: [program, ...args] }),
    ...given({ nodePath: node }),
  };
}

/** Named by the editor's user; a repository has no say in it. */
async function startupOf(setup: ServerSetup): Promise<StartupScript | undefined> {
  const { startup = "" } = setup.settings.repl;
  if (startup === "") return undefined;
  const { startupScript } = await import("./repl/stages/history/startup-script.ts");
  return startupScript(startup, rootOf(setup));
}
