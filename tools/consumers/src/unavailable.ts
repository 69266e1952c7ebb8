/** A platform can't be tried on this machine. */
export class Unavailable extends Error {}
