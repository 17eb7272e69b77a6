/** A real image on a copy of the project whose modules import each other in every way there is. */
import { join } from "node:path";
import type { ImageOptions } from "../../../../server/src/repl/image.ts";
import type { Installation, NameReport } from "../../../../server/src/repl/redefine/installation.ts";
import { shareImage } from "../share-image.ts";
import { startOn, startTestImage, type TestImage } from "../with-image.ts";

export interface RedefineImage extends TestImage {
  readonly path: (module: string) => string;
  /** Installs in a module, by its path below `src`; fails the test when the form fails. */
  readonly install: (module: string | undefined, code: string) => Promise<Installation>;
  /** The report of the only name that the form installs. */
  readonly installOne: (module: string | undefined, code: string) => Promise<NameReport>;
  readonly failure: (module: string | undefined, code: string) => Promise<string>;
  readonly inModule: (module: string, code: string) => Promise<string>;
}

const FIXTURE = "redefine-project";

/** An image of its own. */
export function startRedefineImage(
  node?: Parameters<typeof startOn>[0],
  options: Partial<ImageOptions> = {},
): RedefineImage {
  const t = node === undefined ? startTestImage(options, FIXTURE) : startOn(node, options, FIXTURE);
  return redefining(t);
}

/** One image for all tests of a file, see `shareImage`. */
export function shareRedefineImage(): () => RedefineImage {
  const shared = shareImage({}, FIXTURE);
  return () => redefining(shared());
}

function redefining(t: TestImage): RedefineImage {
  const path = (module: string): string => join(t.root, "src", module);
  const run = (module: string | undefined, code: string): ReturnType<TestImage["evaluate"]> =>
    t.evaluate(code, { install: {}, ...(module === undefined ? {} : { module: path(module) }) });
  const install: RedefineImage["install"] = async (module, code) => {
    const result = await run(module, code);
    if (result.installation === undefined) throw new Error(`${result.outcome}: ${JSON.stringify(result.error)}`);
    return result.installation;
  };
  return {
    ...t,
    path,
    install,
    installOne: async (module, code) => {
      const { names } = await install(module, code);
      const [only, more] = names;
      if (only === undefined || more !== undefined) throw new Error(`${names.length} names were installed`);
      return only;
    },
    failure: async (module, code) => {
      const { outcome, error } = await run(module, code);
      if (outcome !== "error" || error === undefined) throw new Error(`the form did not fail: ${outcome}`);
      return `${error.name}: ${error.message}`;
    },
    inModule: (module, code) => t.value(code, { module: path(module) }),
  };
}

export function held(report: NameReport): string[] {
  return (report.holders ?? []).map(({ path, what }) => `${path} ${what}`);
}

export function seers(report: NameReport): string[] {
  return report.sees.map(({ path }) => path);
}
