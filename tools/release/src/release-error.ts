/** A release command couldn't start, or stopped early. The message says what has changed, and what to do. */
export class ReleaseError extends Error {}
