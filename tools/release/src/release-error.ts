/** A command couldn't start, or stopped early. The message says what has changed or was published, and what to do. */
export class ReleaseError extends Error {}
