/** The sentences with which reports explain the phases of jobs. */

/** The reasons of expired jobs, by their previous phase. */
export const EXPIRED = {
  queued: 'Its deadline passed before it was submitted.',
  waiting: 'Its deadline passed while it was at the service, where it may still finish and be charged.',
} as const

export const CANCELED = {
  unsent: 'Canceled before it was submitted.',
  atService: 'Canceled at the service.',
  gone: 'Canceled; the service no longer knows it.',
  hereOnly: 'No longer awaited. The service cannot cancel work, so the job may still finish and be charged.',
} as const

export const ABANDONED = 'A person abandoned it.'

export const NO_RESPONSE =
  'The worker that was sending the request got no response for too long. The service may have accepted the request.'

export const SENDER_DIED =
  'The worker that was sending the request died before it recorded the response. The service may have accepted and ' +
  'charged the request, so it is not sent again.'
