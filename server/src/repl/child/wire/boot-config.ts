/** The server's start message to the process, as JSON. */
export interface BootConfig {
  readonly projectRoot: string;
  /** Present when Node's permissions hold the process. */
  readonly limited?: {
    /** Folders that cannot be listed by their own name. */
    readonly aliases: Readonly<Record<string, string>>;
  };
  /**
   * The channel reads from descriptor 0 and writes to descriptor 3, because a command may pass on standard streams
   * only.
   */
  readonly elsewhere?: boolean;
}
