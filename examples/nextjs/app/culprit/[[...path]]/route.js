export {
  culprit as DELETE,
  culprit as GET,
  culprit as OPTIONS,
  culprit as POST,
  culprit as PUT,
} from '../../../culprit.js';
