/** Why jobs are in their phases, as reports show it. */

/** The reasons of expired jobs, by their previous phase. */
export const EXPIRED = {
  queued: 'Its deadline passed before it was submitted.',
  waiting: 'Its deadline passed while it was at the service, where it may still finish and be charged.',
} as const

/** The reasons of canceled jobs. */
export const CANCELED = {
  unsent: 'Canceled before it was submitted.',
  atService: 'Canceled at the service.',
  gone: 'Canceled; the service no longer knows it.',
  hereOnly: 'Not awaited any longer. The service has no cancellation, so it may still finish and be charged.',
} as const

export const ABANDONED = 'A person abandoned it.'

export const NO_RESPONSE =
  'The worker that was sending it got no response for too long. The request may have been accepted.'

export const SENDER_DIED =
  'The worker that was sending it died before the response was recorded. The request may have been accepted and ' +
  'charged, so it is not sent again.'
