import 'lockkeeper/auto';
