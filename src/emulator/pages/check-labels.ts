import type { CheckType } from '../../contract/verification/check-data.ts'
import type { CheckResult } from '../state/sessions/session-selections.ts'

/** How a check is told to a person. */
export interface CheckLabels {
  readonly name: string
  /** Where the check has no camera, the question names what it has. */
  readonly question: string
  /** What they show, by how the check then ends. */
  readonly options: Readonly<Record<CheckResult, string>>
}

/** In the order in which choices are offered. */
export const checkResults: readonly CheckResult[] = ['passed', 'failed', 'review']

const camera = 'What does the camera see?'

export const checkLabels: { readonly [Type in CheckType]: CheckLabels } = {
  id_verification: {
    name: 'Identity document',
    question: camera,
    options: {
      passed: 'A genuine document, sharp and whole',
      failed: 'A document that was forged',
      review: 'A document that is hard to read',
    },
  },
  liveness: {
    name: 'Live selfie',
    question: camera,
    options: {
      passed: 'A living face',
      failed: 'A photo of a photo, or a screen',
      review: 'A face in poor light',
    },
  },
  face_match: {
    name: 'Face comparison',
    question: 'Whose face does the camera see?',
    options: {
      passed: 'The face of the document',
      failed: 'The face of somebody else',
      review: 'A face that resembles the document',
    },
  },
  age: {
    name: 'Age',
    question: 'Whose date of birth is given?',
    options: {
      passed: 'Of somebody who is old enough',
      failed: 'Of somebody who is too young',
      review: 'A date that nobody can read',
    },
  },
  credential: {
    name: 'Professional licence',
    question: 'Which licence is given?',
    options: {
      passed: 'A licence that belongs to this person',
      failed: 'A licence of somebody else',
      review: 'A licence under a similar name',
    },
  },
  location: {
    name: 'Location',
    question: 'What does the device tell?',
    options: {
      passed: 'The expected place',
      failed: 'A place far from the expected one',
      review: 'A place, by a very imprecise fix',
    },
  },
}
