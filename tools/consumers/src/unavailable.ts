/** A platform isn't available on this machine. */
export class Unavailable extends Error {}
