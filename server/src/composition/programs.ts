/** The part of the composition that builds the running programs and the REPLs in front of them. */
import { agentFormTeller } from "../handlers/agent-form-teller.ts";
import type { Program, Programs } from "../repl/attached/programs.ts";
import type { Repl } from "../repl/repl.ts";
import { lazy, type Lazy } from "../base/lazy.ts";
import { runtimeFolder } from "../process/runtime-folder.ts";
import { existingRealPath } from "../workspace/real-path.ts";
import { askConsent, textReader, typeChecks, type ComposeParts } from "./repl.ts";

type Variables = Readonly<Record<string, string | undefined>>;
export type ProgramParts = Omit<ComposeParts, "wall" | "sandbox"> & { readonly variables: Variables };

export function composePrograms(parts: ProgramParts): Lazy<Programs> {
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
  const readSource = textReader(documents);
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
    consent: {
      wanted: "open",
      isWalled: () => false,
      untilKnown: () => Promise.resolve(),
      isGiven: false,
      ask: askConsent(parts),
      program: programQuestion(program),
    },
    restarts: { onStartupFailed: log },
    memory: { onAgentForm: agentFormTeller(client, program.id), takeLateOutput: () => late.take() },
    checks: { ...typeChecks(parts, readSource), onLateNotes: () => undefined },
    // The program changes files as it likes.
    changes: { folders: () => [], wasSaved: () => false, onChanges: () => undefined, log },
    onState: () => undefined,
    showLong: client.showLong,
  });
}
