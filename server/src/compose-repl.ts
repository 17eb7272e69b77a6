/** The part of the composition that is the REPL: the image with what stands before it, and the test runner. */
import { realpathSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { ClientPort } from "./handlers/services.ts";
import type { ServerSetup } from "./handlers/stdio-server.ts";
import type { WatchedImage } from "./repl/changes/watched-image.ts";
import type { Checking } from "./repl/checking/checking-image.ts";
import type { Remembering, StartupScript } from "./repl/history/remembering-image.ts";
import type { ToolPorts } from "./tools/all-tools.ts";
import type { TypeScriptService } from "./typescript/typescript-service.ts";
import type { Documents, OpenDocument } from "./workspace/documents.ts";
import { isSecretName, type WorkspacePaths } from "./workspace/workspace-paths.ts";

export interface ReplParts {
  readonly client: ClientPort;
  readonly setup: ServerSetup;
  readonly documents: Documents;
}

interface ImageParts extends ReplParts {
  readonly paths: WorkspacePaths;
  readonly typescript: () => Promise<TypeScriptService>;
  readonly onChange: () => void;
}

export type ComposedImage = Remembering<Checking<WatchedImage>>;

export async function composeImage(parts: ImageParts): Promise<ComposedImage> {
  const { client, setup, documents, paths, typescript, onChange } = parts;
  const { createImage } = await import("./repl/image-process.ts");
  const { toldStates } = await import("./repl/evaluation/told-states.ts");
  const { watchImage } = await import("./repl/changes/watched-image.ts");
  const { checkEvaluations } = await import("./repl/checking/checking-image.ts");
  const { rememberEvaluations } = await import("./repl/history/remembering-image.ts");
  const projectRoot = rootOf(setup);
  const textOf = (path: string): string | undefined => documents.get(pathToFileURL(path).href)?.text;
  const log = (message: string): void => client.log("log", message);
  const image = createImage({
    projectRoot,
    readSource: textOf,
    onOutput: (output) => client.notify("agentq/replOutput", output),
    onState: toldStates((state) => {
      client.notify("agentq/replState", state);
      if (state.state !== "busy" && state.state !== "idle") onChange();
    }),
    log,
    confinement: confinementOf(setup),
    network: networkOf(setup),
    ...heapOf(setup),
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
    projectRoot: realPathOf(projectRoot),
    check: async (text, signal) => {
      const { checkForm } = await import("./typescript/forms/check-form.ts");
      return checkForm(await typescript(), text, signal);
    },
    onLateNotes: (evalId, notes) => {
      const lines = notes.map(({ range, message }) => {
        const at = range === undefined ? "" : `${range.start.line + 1}:${range.start.character + 1} `;
        return `note: ${at}${message}\n`;
      });
      client.notify("agentq/replOutput", { evalId, stream: "stderr", text: lines.join(""), late: true });
    },
    readModule: async (path) => textOf(path) ?? (await readFile(path, "utf8").catch(() => undefined)),
    log,
  });
  const startup = await startupOf(setup);
  return rememberEvaluations(checked, {
    ...(startup === undefined ? {} : { startup }),
    onStartupFailed: (text) => {
      client.log("warning", text);
      client.notify("agentq/replOutput", { stream: "stderr", text: `${text}\n` });
    },
  });
}

/** The runners are loaded with the first run. */
export function composeTestRunner({ client, documents, setup }: ReplParts): ToolPorts["runTests"] {
  return async (request, signal) => {
    const { runTests } = await import("./repl/testing/run-tests.ts");
    const options = {
      projectRoot: rootOf(setup),
      confinement: confinementOf(setup),
      network: networkOf(setup),
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

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

interface ReplOptions {
  readonly confinement?: unknown;
  readonly network?: unknown;
  readonly startup?: unknown;
  readonly command?: unknown;
  readonly node?: unknown;
  readonly heapLimitMb?: unknown;
}

function optionsOf({ initializationOptions }: ServerSetup): ReplOptions {
  return (initializationOptions["repl"] as ReplOptions | undefined) ?? {};
}

function confinementOf(setup: ServerSetup): "confined" | "open" {
  return optionsOf(setup).confinement === "open" ? "open" : "confined";
}

function networkOf(setup: ServerSetup): "open" | "none" {
  return optionsOf(setup).network === "open" ? "open" : "none";
}

function heapOf(setup: ServerSetup): { heapLimitMb?: number } {
  const { heapLimitMb } = optionsOf(setup);
  return typeof heapLimitMb === "number" && heapLimitMb > 0 ? { heapLimitMb } : {};
}

/** `command` runs a program where the image shall live, `node` is the Node there. */
function placeOf(setup: ServerSetup): { command?: readonly [string, ...string[]]; nodePath?: string } {
  const { command, node } = optionsOf(setup);
  const words: readonly unknown[] = Array.isArray(command) ? command : [];
  const [program, ...args] = words.filter((word) => typeof word === "string");
  return {
    ...(program === undefined ? {} : { command: [program, ...args] }),
    ...(typeof node === "string" ? { nodePath: node } : {}),
  };
}

/** Named by the editor's user; a repository has no say in it. */
async function startupOf(setup: ServerSetup): Promise<StartupScript | undefined> {
  const { startup } = optionsOf(setup);
  if (typeof startup !== "string" || startup === "") return undefined;
  const { startupScript } = await import("./repl/history/startup-script.ts");
  return startupScript(startup, rootOf(setup));
}
