/** The projects of a vitest run, each with a Vite of its own: confined, and with the editor's unsaved text. */

export interface VitestProject {
  readonly config: ProjectConfig;
  /** Vitest 1 and 2 called it `server`. */
  readonly vite?: ViteServer;
  readonly server?: ViteServer;
}

interface ProjectConfig {
  setupFiles: string[];
  pool?: string;
  execArgv?: string[];
  readonly browser?: { readonly enabled?: boolean };
}
interface ViteServer extends Environment {
  readonly environments?: Readonly<Record<string, Environment>>;
}
interface Environment {
  readonly pluginContainer: { load: (id: string, ...more: unknown[]) => Promise<unknown> };
}

/**
 * A thread that is given arguments is confined by these alone; the wall refuses to run a test in one that is not.
 * Options given to `createVitest` would reach the first project only.
 */
export function confine(project: VitestProject, wall: string, execArgv: readonly string[]): void {
  const { config } = project;
  if (config.browser?.enabled === true) {
    throw new Error("vitest runs tests in a browser here, which cannot be confined; the open mode can run them");
  }
  config.pool = "threads";
  config.execArgv = [...execArgv];
  config.setupFiles.unshift(wall);
}

/** `textOf` answers a module's text instead of the disk, or undefined. */
export function serveTexts({ vite, server }: VitestProject, textOf: (id: string) => string | undefined): void {
  const running = vite ?? server;
  if (running === undefined) throw new Error("this version of vitest does not show its Vite");
  for (const { pluginContainer } of Object.values(running.environments ?? { only: running })) {
    const load = pluginContainer.load.bind(pluginContainer);
    pluginContainer.load = async (id, ...more) => textOf(id) ?? load(id, ...more);
  }
}
