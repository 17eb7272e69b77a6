/** What the server tells the process when it starts it, as JSON. */
export interface BootConfig {
  readonly projectRoot: string;
  /** Node's permissions hold the process. */
  readonly limited?: {
    /** Folders that cannot be listed by their own name. */
    readonly aliases: Readonly<Record<string, string>>;
  };
  /** The channel is descriptor 0 to read and 3 to write, as a command that only knows standard streams leaves it. */
  readonly elsewhere?: boolean;
}
