/** Thrown if a consumer can't run because this machine lacks something, such as a browser or a network. */
export class Unavailable extends Error {}
