/** How a message is posted to the inspector session on the main thread, and what comes back. */

export type Reply<T> = { readonly error: Error | null; readonly result: T | undefined };
export type Post = <T>(method: string, params?: object) => Promise<Reply<T>>;

export interface Inspector {
  readonly post: Post;
  /** While this is true nothing else may be posted: a termination could stop it in the program's place. */
  readonly isStopping: () => boolean;
}
