import type { CheckType } from '../../contract/verification/check-data.ts'
import type { SelectedResult } from '../model/sessions/hosted-session.ts'

/** The texts of a check on the hosted page. */
export interface CheckLabels {
  readonly name: string
  readonly question: string
  /** The options of the question, by the result that each one leads to. */
  readonly options: Readonly<Record<SelectedResult, string>>
}

/** The results of a check, in the order of the options. */
export const checkResults: readonly SelectedResult[] = ['passed', 'failed', 'review']

const cameraQuestion = 'What does the camera see?'

export const checkLabels: { readonly [Type in CheckType]: CheckLabels } = {
  id_verification: {
    name: 'Identity document',
    question: cameraQuestion,
    options: {
      passed: 'A genuine document that is easy to read',
      failed: 'A forged document',
      review: 'A document that is hard to read',
    },
  },
  liveness: {
    name: 'Live selfie',
    question: cameraQuestion,
    options: {
      passed: 'A real person',
      failed: 'A photo or a screen',
      review: 'A face in poor light',
    },
  },
  face_match: {
    name: 'Face comparison',
    question: 'Whose face does the camera see?',
    options: {
      passed: 'The person on the document',
      failed: 'A different person',
      review: 'Someone who looks similar',
    },
  },
  age: {
    name: 'Age',
    question: 'How old is the person?',
    options: {
      passed: 'Old enough',
      failed: 'Too young',
      review: 'Unclear: the date of birth cannot be read',
    },
  },
  credential: {
    name: 'Professional license',
    question: 'Whose license is it?',
    options: {
      passed: 'A license of this person',
      failed: 'A license of someone else',
      review: 'A license under a similar name',
    },
  },
  location: {
    name: 'Location',
    question: 'Where is the device?',
    options: {
      passed: 'At the expected place',
      failed: 'Far from the expected place',
      review: 'Unclear: the position is very imprecise',
    },
  },
}
