/** The part of the composition that walls programs in: the wall itself, commands and copies of the project behind the wall. */
import type { Parts } from "./parts.ts";
import type { ServerSetup } from "../handlers/stdio-server.ts";
import type { WithRoom } from "../repl/testing/walled/test-room.ts";
import type { FolderFiles, Sandbox } from "../sandbox/sandbox.ts";
import type { ToolPorts } from "../tools/all-tools.ts";

/** The one wall of a server, for all that it starts. */
export async function composeSandbox({
  paths,
  variables,
  setup,
}: Pick<Parts, "paths" | "variables" | "setup">): Promise<Sandbox> {
  const [{ Sandbox }, { passedEnvironment }] = await Promise.all([
    import("../sandbox/sandbox.ts"),
    import("../process/child-environment.ts"),
  ]);
  return new Sandbox({
    folders: () => paths.folders(),
    unwanted: whyUnwanted(setup),
    env: passedEnvironment(variables),
    variables,
    listFiles,
  });
}

/** Why the person wants no wall; undefined where they do. */
export function whyUnwanted({ settings }: Pick<ServerSetup, "settings">): string | undefined {
  const { confinement = "confined" } = settings.repl;
  return confinement === "confined" ? undefined : `The setting repl.confinement is "${confinement}".`;
}

type WalledParts = Pick<Parts, "documents" | "paths" | "sandbox">;

export async function composeCommands(
  parts: WalledParts & Pick<Parts, "setup" | "onChange">,
): Promise<ToolPorts["commands"]> {
  const { documents, paths, setup, onChange } = parts;
  const [sandbox, { BackgroundCommands }, projectTexts] = await Promise.all([
    parts.sandbox(),
    import("../sandbox/runs/background.ts"),
    projectPorts(parts),
  ]);
  return {
    sandbox,
    background: new BackgroundCommands(sandbox, onChange),
    documents,
    folders: () => paths.realFolders(),
    ...projectTexts,
    listedHosts: setup.settings.commands.hosts ?? [],
    show: (absolute) => paths.relative(absolute),
    placeOf: (absolute) => paths.placeOf(absolute),
  };
}

/** Copies of the project for runs of tests; a sentence that says why, where there can be none. */
export async function composeTestRooms(parts: WalledParts): Promise<WithRoom | string> {
  const sandbox = await parts.sandbox();
  const whyNot = await sandbox.findWhyNot();
  if (whyNot !== undefined) return whyNot;
  const [{ layerRooms }, { kernelFiles }, projectTexts] = await Promise.all([
    import("../sandbox/runs/layer-rooms.ts"),
    import("../repl/confinement/launch-plan.ts"),
    projectPorts(parts),
  ]);
  return layerRooms({ sandbox, needed: kernelFiles(), ...projectTexts });
}

/** What a copy of the project is made of beside its files, and what of it nobody reviews. */
async function projectPorts({
  documents,
  paths,
}: WalledParts): Promise<Pick<ToolPorts["commands"], "unsaved" | "ignored">> {
  const [{ unsavedTexts }, { ignoredBelow }] = await Promise.all([
    import("../search/changed-documents.ts"),
    import("../process/git.ts"),
  ]);
  return {
    unsaved: () => unsavedTexts(documents, paths),
    ignored: (asked, signal) => ignoredBelow(paths.realFolders(), asked, signal),
  };
}

/** All files of a folder, for their names alone. */
export async function listFiles(folder: string, signal: AbortSignal): Promise<FolderFiles> {
  const [{ installedRipgrep }, { allFiles }] = await Promise.all([
    import("../search/ripgrep.ts"),
    import("../search/all-files.ts"),
  ]);
  return allFiles(installedRipgrep, folder, signal);
}
