/** The kernel's part in redefining running code: installing, tracing, and finding holders of replaced values. */
import { OWN_FOLDER } from "../../shared/own-folder.ts";
import type { Bridge } from "../bridge.ts";
import type { ModuleAccess } from "../modules/module-access.ts";
import type { ModuleScopes } from "../modules/module-scopes.ts";
import { createClassRedefinition, type ClassRedefinition } from "../redefine/class-redefinition.ts";
import type { HeapQuery } from "../redefine/heap-query.ts";
import { createHeldValues } from "../redefine/held-values.ts";
import { createInstaller, type Installing } from "../redefine/install.ts";
import { createMemberInstaller, type MemberInstaller } from "../redefine/install-member.ts";
import type { PrivateFamilies } from "../redefine/private-families.ts";
import { createLogPoints, type LogPointCalls } from "../redefine/log-points.ts";
import { Recorders, recordingReports, type RecordingReports } from "../redefine/recorders.ts";
import { createTracing, type Tracing } from "../redefine/trace.ts";
import type { CurrentEvaluation } from "./current-evaluation.ts";
import type { KeptValues } from "./kept-values.ts";
import type { MainCells } from "./main-cells.ts";

export interface RedefinitionCalls
  extends ClassRedefinition, Installing, MemberInstaller, Tracing, RecordingReports, LogPointCalls {
  /** Whether anything that the evaluation left still holds a replaced value. */
  readonly held: () => string | undefined;
}

export interface RedefinitionParts {
  readonly post: Bridge["post"];
  readonly modules: ModuleAccess;
  readonly scopes: ModuleScopes;
  readonly families: PrivateFamilies;
  readonly query: HeapQuery["query"];
  readonly current: CurrentEvaluation;
  readonly cells: MainCells;
  readonly kept: KeptValues;
  readonly intervalOf: (callback: object) => number | undefined;
  readonly isProgram?: boolean;
}

export function redefinitionCalls(parts: RedefinitionParts): RedefinitionCalls {
  const { post, modules, scopes, families, query, current, cells, kept, intervalOf, isProgram = false } = parts;
  const classes = createClassRedefinition(scopes, families, query);
  const { watch, held } = createHeldValues();
  const places = { ownFolder: decodeURIComponent(new URL(OWN_FOLDER).pathname), projectRoot: process.cwd(), isProgram };
  const recorders = new Recorders();
  const write = (stream: "stdout" | "stderr", text: string): void => post({ t: "out", id: current.id(), stream, text });
  return {
    ...classes,
    ...createInstaller({
      scopes,
      classes,
      modules,
      handles: () => kept.names(),
      intervalOf,
      watch: (replaced) => watch(current.id(), replaced),
    }),
    ...createMemberInstaller(scopes, classes),
    ...createTracing({ places, scopes, recorders, write }),
    ...createLogPoints({ post, recorders, write }),
    ...recordingReports(recorders, (text) => write("stdout", text)),
    held: () => held(cells.asked()),
  };
}
