/** A command that didn't begin, or stopped before its end. The message says what has changed or is published, and what to do. */
export class ReleaseError extends Error {}
