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

const labels = (name: string, question: string, passed: string, failed: string, review: string): CheckLabels => ({
  name,
  question,
  options: { passed, failed, review },
})

export const checkLabels: { readonly [Type in CheckType]: CheckLabels } = {
  id_verification: labels(
    'Identity document',
    cameraQuestion,
    'A genuine document that is easy to read',
    'A forged document',
    'A document that is hard to read',
  ),
  liveness: labels('Live selfie', cameraQuestion, 'A real person', 'A photo or a screen', 'A face in poor light'),
  face_match: labels(
    'Face comparison',
    'Whose face does the camera see?',
    'The person on the document',
    'A different person',
    'Someone who looks similar',
  ),
  age: labels('Age', 'How old is the person?', 'Old enough', 'Too young', 'Unclear: the date of birth cannot be read'),
  credential: labels(
    'Professional license',
    'Whose license is it?',
    'A license of this person',
    'A license of someone else',
    'A license under a similar name',
  ),
  location: labels(
    'Location',
    'Where is the device?',
    'At the expected place',
    'Far from the expected place',
    'Unclear: the position is very imprecise',
  ),
}
