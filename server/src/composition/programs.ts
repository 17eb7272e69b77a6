/** The part of the composition that builds the running programs and the REPLs in front of them. */
import type { Parts } from "./parts.ts";
import { sourceReader, typeChecks, type ReplParts } from "./repl.ts";
import { agentFormTeller } from "../handlers/agent-form-teller.ts";
import { consentAsker } from "../handlers/consent-asker.ts";
import type { Program } from "../repl/attached/programs.ts";
import type { ImageWall } from "../repl/confinement/image-wall.ts";
import type { Repl } from "../repl/repl.ts";
import { lazy } from "../base/lazy.ts";
import { runtimeFolder } from "../process/runtime-folder.ts";
import { existingRealPath } from "../workspace/real-path.ts";

type ProgramParts = Omit<ReplParts, "sandbox" | "onChange"> & Pick<Parts, "variables">;

export function composePrograms(parts: ProgramParts): Parts["programs"] {
  return lazy(async () => {
    const { Programs } = await import("../repl/attached/programs.ts");
    return new Programs({
      sockets: runtimeFolder(parts.variables),
      folders: () => parts.paths.folders().map((folder) => existingRealPath(folder) ?? folder),
      createRepl: (program) => replInFrontOf(program, parts),
      onChange: (now) => parts.client.notify("agentq/processesChanged", now),
    });
  });
}

/** Nothing holds a program that the person has started. */
const NO_WALL: ImageWall = { kind: "none", reason: "A program of the person's is not confined." };

async function replInFrontOf(program: Program, parts: ProgramParts): Promise<Repl> {
  const { client, documents, paths } = parts;
  const [{ Repl }, { AppImage }, { programQuestion }, { LateOutput }] = await Promise.all([
    import("../repl/repl.ts"),
    import("../repl/attached/app-image.ts"),
    import("../repl/attached/programs.ts"),
    import("../repl/evaluation/late-output.ts"),
  ]);
  const late = new LateOutput();
  const log = (message: string): void => client.log("log", message);
  const readSource = sourceReader(documents);
  return new Repl({
    createImage: ({ whyNotStart, onState }) =>
      new AppImage({
        ...program,
        whyNot: () => whyNotStart?.(),
        readSource,
        mayQuote: (path) => paths.mayShow(path),
        onOutput: (output) => {
          client.notify("agentq/replOutput", { ...output, process: program.id });
          late.add(output);
        },
        onState,
        log,
      }),
    readSource,
    consent: {
      wanted: "open",
      wall: lazy(() => Promise.resolve(NO_WALL)),
      isGiven: false,
      ask: consentAsker(client, parts.approvals),
      program: programQuestion(program),
    },
    restarts: { onStartupFailed: log, isProgram: true },
    memory: { onAgentForm: agentFormTeller(client, program.id), takeLateOutput: () => late.take() },
    checks: { ...(await typeChecks(parts, readSource)), onLateNotes: () => undefined },
    // The program changes files as it likes.
    changes: { folders: () => [], wasSaved: () => false, onChanges: () => undefined, log },
    onState: () => undefined,
    showLong: client.showLong,
  });
}
