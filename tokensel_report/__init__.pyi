# Every public name, once: `__init__.py` imports from this list, on demand, and type checkers read it.
from .classifier import (
    TextClassifier as TextClassifier,
)
from .diagnosis import (
    Diagnosis as Diagnosis,
    diagnose as diagnose,
)
from .explanation import (
    Explanation as Explanation,
    explain as explain,
)
from .leaks import (
    suspicion as suspicion,
)
from .read import (
    DataError as DataError,
    read_reviews as read_reviews,
)
from .table import (
    Report as Report,
    report as report,
)
from .text_box import (
    Live as Live,
    live as live,
)
