/** The part of the composition that builds the REPL with its stages, and the test runner. */
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Parts } from "./parts.ts";
import { composeTestRooms, whyUnwanted } from "./sandbox.ts";
import { agentFormTeller } from "../handlers/agent-form-teller.ts";
import { consentAsker } from "../handlers/consent-asker.ts";
import { CHILD_FOLDER } from "../repl/child-folder.ts";
import type { ImageWall, LateWall } from "../repl/confinement/image-wall.ts";
import type { ImageOptions } from "../repl/image.ts";
import type { CheckOptions } from "../repl/stages/checking/type-checks.ts";
import type { Repl } from "../repl/repl.ts";
import type { ReadSource } from "../repl/testing/laid-texts.ts";
import { ProjectTests } from "../repl/testing/project-tests.ts";
import { given } from "../base/given.ts";
import { lazy } from "../base/lazy.ts";
import { projectFolders } from "../workspace/project-folders.ts";
import { existingRealPath } from "../workspace/real-path.ts";
import type { Documents } from "../workspace/documents.ts";
import { isSecretName } from "../workspace/secret-names.ts";

type Ground = "client" | "setup" | "documents" | "paths";
export type ReplParts = Pick<Parts, Ground | "typescript" | "approvals" | "sandbox" | "onChange">;

/** The wall is tried out late: the first answers, which need none, do not wait for that. */
export function composeRepl(parts: ReplParts): Pick<Parts, "early" | "repl"> {
  const wall = lazy(() => imageWall(parts));
  const early = lazy(() => loadRepl(parts, wall));
  const repl = lazy(async () => {
    const [loaded] = await Promise.all([early(), wall()]);
    return loaded;
  });
  return { early, repl };
}

async function loadRepl(parts: ReplParts, wall: LateWall): Promise<Repl> {
  const { client, setup, documents, onChange } = parts;
  const [{ Repl }, { createImage }, { SpareProcess }, { toldStates }, { LateOutput }, { startupScript }] =
    await Promise.all([
      import("../repl/repl.ts"),
      import("../repl/process/image-process.ts"),
      import("../repl/process/spare-process.ts"),
      import("../repl/evaluation/told-states.ts"),
      import("../repl/evaluation/late-output.ts"),
      import("../repl/stages/history/startup-script.ts"),
    ]);
  const { confinement = "confined", startup } = setup.settings.repl;
  const late = new LateOutput();
  const readSource = sourceReader(documents);
  const log = (message: string): void => client.log("log", message);
  const onOutput: ImageOptions["onOutput"] = (output) => {
    client.notify("agentq/replOutput", output);
    late.add(output);
  };
  const ground = imageGround(parts, wall);
  const spare = new SpareProcess(ground);
  return new Repl({
    createImage: (own) => createImage({ ...ground, readSource, onOutput, ...own }, spare),
    spare,
    readSource,
    consent: {
      wanted: confinement === "confined" ? "confined" : "open",
      wall,
      isGiven: confinement === "openWithoutAsking",
      ask: consentAsker(client, parts.approvals),
    },
    restarts: {
      ...given({ startup: startupScript(startup, rootOf(setup)) }),
      onStartupFailed: (text) => {
        client.log("warning", text);
        client.notify("agentq/replOutput", { stream: "stderr", text: `${text}\n` });
      },
    },
    memory: { onAgentForm: agentFormTeller(client), takeLateOutput: () => late.take() },
    checks: await typeChecks(parts, readSource),
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

export async function typeChecks(
  { client, setup, typescript }: Pick<ReplParts, "client" | "setup" | "typescript">,
  readSource: ReadSource,
): Promise<CheckOptions> {
  const { sourceText } = await import("../repl/testing/laid-texts.ts");
  const projectRoot = rootOf(setup);
  return {
    projectRoot: existingRealPath(projectRoot) ?? projectRoot,
    check: async (text, signal) => {
      const { checkForm } = await import("../typescript/check-form.ts");
      return checkForm(await typescript(), text, signal);
    },
    onLateNotes: (evalId, notes) => client.notify("agentq/lateNotes", { evalId, notes }),
    readModule: (path) => sourceText(readSource, path),
    log: (message) => client.log("log", message),
  };
}

/** Not looked for where no wall is wanted. */
async function imageWall({ setup, sandbox }: Pick<Parts, "setup" | "sandbox">): Promise<ImageWall> {
  const elsewhere = setup.settings.repl.command && "The setting repl.command starts the REPL elsewhere.";
  const reason = whyUnwanted(setup) ?? elsewhere;
  if (reason !== undefined) return { kind: "none", reason };
  const walls = await sandbox();
  const found = await walls.wall();
  return found.kind === "none" ? found : { kind: "walled", raise: (...program) => walls.live(...program) };
}

/** What every image of the REPL gets. */
function imageGround({ client, setup, paths }: Pick<Parts, Ground>, wall: LateWall) {
  const { network = "none", heapLimitMb, node: nodePath, command: [program, ...args] = [] } = setup.settings.repl;
  const command = program === undefined ? undefined : ([program, ...args] as const);
  return {
    projectRoot: rootOf(setup),
    log: (message: string) => client.log("log", message),
    wall,
    network,
    isSecretName,
    mayQuote: (path: string) => paths.mayShow(path),
    ...given({ heapLimitMb, nodePath, command }),
  };
}

/** The text of open documents, by path. */
export function sourceReader(documents: Documents): (path: string) => string | undefined {
  return (path) => documents.get(pathToFileURL(path).href)?.text;
}

export function composeTests(parts: Pick<Parts, Ground | "sandbox">, repl: Pick<Repl, "whyNotTest">): ProjectTests {
  const { client, documents, setup } = parts;
  return new ProjectTests({
    projectRoot: rootOf(setup),
    readSource: sourceReader(documents),
    openTexts: () => {
      const files = documents.all().filter(({ uri }) => uri.startsWith("file:"));
      return Object.fromEntries(files.map(({ uri, text }) => [fileURLToPath(uri), text]));
    },
    log: (message) => client.log("log", message),
    rooms: () => composeTestRooms(parts),
    whyNotTest: (...asked) => repl.whyNotTest(...asked),
  });
}

/**
 * Where no folder is open, a folder of our own is the project: anybody could put modules into the folder of temporary
 * files.
 */
function rootOf({ workspaceFolders }: Parts["setup"]): string {
  return workspaceFolders[0] ?? projectFolders([process.cwd()]).kept[0] ?? resolve(CHILD_FOLDER);
}
