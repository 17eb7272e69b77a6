/** The programs of the person that can be worked with now, as they answer on their sockets. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { AppConnection } from "../../repl/attached/app-connection.ts";
import { APP_SOCKET, type AppFacts } from "../../repl/child/wire/app-frames.ts";

export interface Met {
  /** The caller's to leave. */
  readonly programs: readonly AppConnection[];
  /** The ids of processes that do not answer, because they are busy or a debugger holds them. */
  readonly silent: readonly number[];
}

/** All of them, or the one of that process. */
export async function programsIn(sockets: string, pid?: number): Promise<Met> {
  const programs: AppConnection[] = [];
  const silent: number[] = [];
  const meetings = readdirSync(sockets).map(async (name) => {
    const of = Number(APP_SOCKET.exec(name)?.[1] ?? "0");
    if (of === 0 || (pid !== undefined && of !== pid)) return;
    const met = await AppConnection.to(join(sockets, name), of);
    if (met === undefined) silent.push(of);
    else if (met !== "nobody") programs.push(met);
  });
  await Promise.all(meetings);
  return { programs, silent };
}

/** The program that the process is already. */
export async function programOf(pid: number, sockets: string): Promise<AppFacts | undefined> {
  const { programs } = await programsIn(sockets, pid);
  for (const connection of programs) connection.leave();
  return programs[0]?.facts;
}
